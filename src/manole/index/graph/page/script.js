"use strict";
(() => {
  const RELATIONS = ["similarity", "reference", "structure"];
  const SHOWN = 200; // lines of a list
  const LABELS = 60; // names on the map
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const canvas = byId("map");
  const pen = canvas.getContext("2d");

  const nodes = data.nodes.map(([path, kind, about, group, x, y]) => ({
    path, kind, about, group, x, y, joined: [],
  }));
  const edges = data.edges.map(([one, other, relation, weight, why]) => ({
    one: nodes[one], other: nodes[other], relation: RELATIONS[relation], weight, why,
  }));
  for (const edge of edges) {
    edge.one.joined.push(edge);
    edge.other.joined.push(edge);
  }

  // Names are text from elsewhere: characters that show nothing, or turn text around, are written.
  const shown = (text) =>
    text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  const nameOf = (node) => shown(node.path.replace(/\/$/, "").split("/").pop() || node.path);

  let chosen = null;
  let matching = null; // a set of nodes while something is sought
  const view = { x: 0.5, y: 0.5, zoom: 1 };
  let wanted = false;

  const visible = (edge) =>
    byId(edge.relation).checked &&
    (edge.relation !== "similarity" || edge.weight >= Number(byId("threshold").value));
  const drawn = (node) => node.kind === "file" || byId("structure").checked;

  const scale = () => Math.min(canvas.clientWidth, canvas.clientHeight) * 0.92 * view.zoom;
  const place = (node) => [
    canvas.clientWidth / 2 + (node.x - view.x) * scale(),
    canvas.clientHeight / 2 + (node.y - view.y) * scale(),
  ];
  const crowd = Math.min(1, Math.sqrt(1500 / Math.max(nodes.length, 1)));
  const sizeOf = (node) =>
    Math.min(3 + Math.sqrt(node.joined.length), 9) *
    Math.min(Math.max(crowd * view.zoom ** 0.5, 0.3), 2);
  const colourOf = (node) =>
    node.group < 0 ? "hsl(220 8% 55%)" : `hsl(${(node.group * 137.5) % 360} 62% 52%)`;

  function draw() {
    wanted = false;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.body);
    const near = new Set(chosen ? [chosen] : []);
    for (const edge of edges) {
      if (!visible(edge)) continue;
      const mine = chosen !== null && (edge.one === chosen || edge.other === chosen);
      if (mine) near.add(edge.one).add(edge.other);
      const [x0, y0] = place(edge.one);
      const [x1, y1] = place(edge.other);
      if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > wide) continue;
      if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > high) continue;
      pen.globalAlpha = mine ? 0.9 : chosen ? 0.06 : 0.12 + 0.35 * edge.weight ** 3;
      pen.strokeStyle = edge.relation === "reference" ? "hsl(28 85% 50%)" : style.color;
      pen.lineWidth = mine ? 1.6 : 0.8;
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
    }
    const inView = [];
    for (const node of nodes) {
      if (!drawn(node)) continue;
      const [x, y] = place(node);
      if (x < -10 || y < -10 || x > wide + 10 || y > high + 10) continue;
      const bright = (!chosen || near.has(node)) && (!matching || matching.has(node));
      pen.globalAlpha = bright ? 1 : 0.15;
      pen.fillStyle = colourOf(node);
      const size = sizeOf(node);
      if (node.kind === "folder") pen.fillRect(x - size * 0.7, y - size * 0.7, size * 1.4, size * 1.4);
      else {
        pen.beginPath();
        pen.arc(x, y, size, 0, 2 * Math.PI);
        pen.fill();
      }
      if (node === chosen) {
        pen.lineWidth = 2;
        pen.strokeStyle = style.color;
        pen.stroke();
      }
      if (bright) inView.push([node, x, y, size]);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = style.color;
    pen.font = "12px system-ui, sans-serif";
    // The chosen one's name first, then those of the best joined, as far as there is room.
    inView.sort(([a], [b]) => (b === chosen) - (a === chosen) || b.joined.length - a.joined.length);
    const taken = [];
    for (const [node, x, y, size] of inView) {
      const name = nameOf(node).slice(0, 50);
      const box = [x + size + 3, y - 8, x + size + 9 + pen.measureText(name).width, y + 8];
      if (taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])) continue;
      taken.push(box);
      pen.fillText(name, box[0], y + 4);
      if (taken.length === LABELS) break;
    }
  }

  function redraw() {
    if (!wanted) {
      wanted = true;
      requestAnimationFrame(draw);
    }
  }

  function line(node, why) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = shown(node.path);
    button.addEventListener("click", () => choose(node, true));
    item.append(button);
    if (why) {
      const reason = document.createElement("span");
      reason.textContent = shown(why);
      item.append(reason);
    }
    return item;
  }

  function tell() {
    const files = nodes.filter((node) => node.kind === "file").length;
    const seen = edges.filter(visible).length;
    byId("counts").textContent = `${files} files, ${seen} of ${edges.length} lines shown`;
    byId("least").textContent = Number(byId("threshold").value).toFixed(2);
    byId("name").textContent = chosen ? shown(chosen.path) : matching ? `${matching.size} found` : "";
    byId("about").textContent = chosen ? shown(chosen.about) : "";
    let lines = [];
    if (chosen) {
      lines = chosen.joined
        .filter(visible)
        .sort((a, b) => b.weight - a.weight)
        .map((edge) => {
          const other = edge.one === chosen ? edge.other : edge.one;
          const how = edge.relation === "similarity" ? `alike, ${edge.weight.toFixed(2)}` : edge.why;
          return [other, edge.relation === "structure" ? "folder" : how];
        });
    } else if (matching) lines = [...matching].map((node) => [node, ""]);
    byId("list").replaceChildren(...lines.slice(0, SHOWN).map(([node, why]) => line(node, why)));
  }

  function choose(node, centre) {
    chosen = node;
    if (node && centre) {
      view.x = node.x;
      view.y = node.y;
    }
    tell();
    redraw();
  }

  function seek() {
    const sought = byId("find").value.trim().toLowerCase();
    matching = sought
      ? new Set(nodes.filter((node) => drawn(node) && node.path.toLowerCase().includes(sought)))
      : null;
    choose(null);
  }

  function zoomBy(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const before = scale();
    view.zoom = Math.min(Math.max(view.zoom * factor, 0.3), 60);
    const [dx, dy] = [x - canvas.clientWidth / 2, y - canvas.clientHeight / 2];
    view.x += dx / before - dx / scale();
    view.y += dy / before - dy / scale();
    redraw();
  }

  function nodeAt(x, y) {
    let best = null;
    let least = 14;
    for (const node of nodes) {
      if (!drawn(node)) continue;
      const [px, py] = place(node);
      const far = Math.hypot(px - x, py - y) - sizeOf(node);
      if (far < least) [best, least] = [node, far];
    }
    return best;
  }

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.offsetX, y: event.offsetY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const node = nodeAt(event.offsetX, event.offsetY);
      canvas.title = node ? shown(node.path) : "";
      return;
    }
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag = { x: event.offsetX, y: event.offsetY, moved: true };
    view.x -= dx / scale();
    view.y -= dy / scale();
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) choose(nodeAt(event.offsetX, event.offsetY), false);
    drag = null;
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = 60 / scale();
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const move = moves[event.key];
    if (move) {
      view.x += move[0];
      view.y += move[1];
      redraw();
    } else if (event.key === "+" || event.key === "=") zoomBy(1.25);
    else if (event.key === "-") zoomBy(0.8);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  });

  const slider = byId("threshold");
  slider.min = String(data.threshold);
  slider.max = "1";
  slider.value = slider.min;
  byId("find").addEventListener("input", seek);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["similarity", "reference", "structure", "threshold"]) {
    byId(id).addEventListener("input", () => {
      tell();
      redraw();
    });
  }
  byId("whole").addEventListener("click", () => {
    Object.assign(view, { x: 0.5, y: 0.5, zoom: 1 });
    choose(null);
  });
  new ResizeObserver(redraw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  tell();
  redraw();
})();
