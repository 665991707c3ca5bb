// All links as thin lines, drawn at once. The lines share the nodes' positions, so that nodes may
// move every frame; and a relation's links are stored the heaviest first, so that a threshold only
// changes how many of them are drawn.

import type Sigma from "sigma";
import type { Relation } from "../../api/types";
import { countOf, type Model, RELATIONS, type Shown } from "../graph";
import { channels, type Look } from "./look";

const VERTEX = /* glsl */ `
attribute vec2 a_position;
attribute vec4 a_color;
uniform mat3 u_matrix;
uniform vec3 u_frame;
varying vec4 v_color;

void main() {
  vec2 place = 0.5 + (a_position - u_frame.xy) / u_frame.z;
  gl_Position = vec4((u_matrix * vec3(place, 1)).xy, 0, 1);
  v_color = a_color;
}
`;

const FRAGMENT = /* glsl */ `
precision mediump float;
varying vec4 v_color;
uniform vec4 u_tint;
uniform float u_share;

void main() {
  gl_FragColor = vec4(mix(v_color.rgb, u_tint.rgb, u_share), 1.0) * u_tint.a;
}
`;

// How much of the line is the relation's own colour (the rest: its nodes'), and how dense it is.
const STROKES: Record<Relation, { share: number; alpha: number }> = {
  structure: { share: 0.75, alpha: 0.28 },
  similarity: { share: 0, alpha: 0.34 },
  reference: { share: 0.85, alpha: 0.5 },
};

const FINE = 5_000; // links; the edges of more need no smoothing, which takes time

/** Middle and width of what the map shows, in the layout's own units. */
export interface Frame {
  x: number;
  y: number;
  width: number;
}

type Context = WebGLRenderingContext | WebGL2RenderingContext;

export class Lines {
  private readonly gl: Context;
  private readonly program: WebGLProgram;
  private readonly places: WebGLBuffer;
  private readonly colours: WebGLBuffer;
  private look: Look | null = null;
  private drawn: unknown[] = []; // what the present picture was made of

  constructor(
    private readonly renderer: Sigma,
    private readonly model: Model,
  ) {
    const canvas = renderer.createCanvas("lines", { beforeLayer: "edges" });
    const antialias = model.weights.length <= FINE;
    this.gl = renderer.createWebGLContext("lines", { canvas, antialias });
    this.program = programOf(this.gl);
    // biome-ignore lint/correctness/useHookAtTopLevel: WebGL's, not React's
    this.gl.useProgram(this.program); // the only one here
    this.places = this.gl.createBuffer() as WebGLBuffer;
    this.colours = this.gl.createBuffer() as WebGLBuffer;
    const ends = this.gl.createBuffer();
    this.gl.getExtension("OES_element_index_uint");
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, ends);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, model.ends, this.gl.STATIC_DRAW);
  }

  place(positions: Float32Array): void {
    this.fill(this.places, positions);
    this.drawn = [];
  }

  colour(colours: string[], look: Look): void {
    const bytes = new Uint8Array(4 * colours.length);
    colours.forEach((colour, node) => {
      bytes.set([...channels(colour), 255], 4 * node);
    });
    this.fill(this.colours, bytes);
    this.look = look;
    this.drawn = [];
  }

  /** Draws them; none: clears. What has not changed is not drawn again: the canvas keeps it. */
  draw(shown: Shown | null, frame: Frame): void {
    const { matrix, width, height, pixelRatio } = this.renderer.getRenderParams();
    const wanted = [shown, frame, width, height, pixelRatio, ...matrix];
    if (wanted.every((value, place) => value === this.drawn[place])) return;
    this.drawn = wanted;
    this.gl.viewport(0, 0, this.gl.drawingBufferWidth, this.gl.drawingBufferHeight);
    this.gl.clear(this.gl.COLOR_BUFFER_BIT);
    if (shown && this.look) this.strokes(shown, frame, matrix, this.look);
  }

  private strokes(shown: Shown, frame: Frame, matrix: Float32Array, look: Look): void {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.uniformMatrix3fv(this.at("u_matrix"), false, matrix);
    gl.uniform3f(this.at("u_frame"), frame.x, frame.y, frame.width);
    this.bind(this.places, "a_position", 2, gl.FLOAT);
    this.bind(this.colours, "a_color", 4, gl.UNSIGNED_BYTE);
    const crowd = Math.log10(10 + countOf(shown)) / 5; // the more lines, the fainter each
    for (const relation of RELATIONS) {
      const { share, alpha } = STROKES[relation];
      const [r, g, b] = channels(relation === "reference" ? look.ink : look.line);
      gl.uniform4f(
        this.at("u_tint"),
        r / 255,
        g / 255,
        b / 255,
        Math.min(1, alpha * (2.2 - 1.7 * crowd)),
      );
      gl.uniform1f(this.at("u_share"), share);
      const from = 8 * this.model.ranges[relation][0]; // two places of four bytes a link
      gl.drawElements(gl.LINES, 2 * shown[relation], gl.UNSIGNED_INT, from);
    }
  }

  private at(name: string): WebGLUniformLocation | null {
    return this.gl.getUniformLocation(this.program, name);
  }

  private fill(buffer: WebGLBuffer, values: Float32Array | Uint8Array): void {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.DYNAMIC_DRAW);
  }

  private bind(buffer: WebGLBuffer, name: string, size: number, type: number): void {
    const place = this.gl.getAttribLocation(this.program, name);
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.enableVertexAttribArray(place);
    this.gl.vertexAttribPointer(place, size, type, type === this.gl.UNSIGNED_BYTE, 0, 0);
  }
}

function programOf(gl: Context): WebGLProgram {
  const program = gl.createProgram() as WebGLProgram;
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type) as WebGLShader;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return program;
}
