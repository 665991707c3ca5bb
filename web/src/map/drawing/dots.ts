// How nodes are drawn: a file as a disc with a darker rim, so that discs that overlap stay apart
// to the eye; a folder as a ring. Each is one point to the graphics card: of sigma's programs the
// one that is quick also where the card is imitated by the processor.

import type Sigma from "sigma";
import { NodePointProgram } from "sigma/rendering";

const HEAD = /* glsl */ `
precision mediump float;
varying vec4 v_color;
varying float v_border; // a pixel, as a part of the point's width

void main(void) {
  float far = length(gl_PointCoord - vec2(0.5));
  float outside = smoothstep(0.5 - v_border, 0.5, far);
`;

const DISC = /* glsl */ `${HEAD}
  float rim = smoothstep(0.5 - 2.2 * v_border, 0.5 - 1.2 * v_border, far);
  gl_FragColor = vec4(v_color.rgb * (1.0 - 0.3 * rim), v_color.a) * (1.0 - outside);
}
`;

const RING = /* glsl */ `${HEAD}
  float inner = 0.5 - max(0.17, 1.6 * v_border);
  float inside = 1.0 - smoothstep(inner - v_border, inner, far);
  gl_FragColor = v_color * (1.0 - max(outside, inside));
}
`;

/** Without sigma's second, hidden picture that tells nodes apart: `Picking` does that. */
class DotProgram extends NodePointProgram {
  constructor(gl: WebGLRenderingContext, _hidden: WebGLFramebuffer | null, renderer: Sigma) {
    super(gl, null, renderer);
  }
}

export class DiscProgram extends DotProgram {
  override getDefinition() {
    return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: DISC };
  }
}

export class RingProgram extends DotProgram {
  override getDefinition() {
    return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: RING };
  }
}
