// The links that the layout works with, and how strongly each relation draws its files together.

import type { Relation } from "../../api/types";
import { at, countOf, drawnOf, type Filter, type Model, RELATIONS, shownOf } from "../graph";
import type { Links } from "./messages";

const PULL: Record<Relation, (weight: number) => number> = {
  similarity: (weight) => 2 * (weight - 0.5), // 0.6 is little, 1 is the same
  reference: (weight) => weight,
  structure: (weight) => 0.4 * weight,
};

export function linksFor(model: Model, filter: Filter): Links {
  const shown = shownOf(model, filter);
  const count = countOf(shown);
  const ends = new Uint32Array(2 * count);
  const weights = new Float32Array(count);
  let place = 0;
  for (const relation of RELATIONS) {
    const from = model.ranges[relation][0];
    const to = from + shown[relation];
    ends.set(model.ends.subarray(2 * from, 2 * to), 2 * place);
    for (let link = from; link < to; link++) {
      weights[place++] = PULL[relation](at(model.weights, link));
    }
  }
  return { drawn: drawnOf(model, filter), ends, weights };
}
