// Small charts beside the picture: how hard the solves are, where the time goes, what is lost.

import type { Stats, Step } from "./protocol";

const COLOURS = ["#3b82c4", "#d9822b", "#3f9d6b", "#b6539a", "#8a7a2f", "#5560c9", "#c4514b", "#4aa3a8", "#777"];
const KEPT = 600; // points

interface Line {
  x: number[];
  y: number[];
  colour: string;
  label?: string;
}
interface Axes {
  log?: boolean;
  stacked?: boolean;
  unit: string;
  zero?: boolean;
}

/** Short numbers with the right number of digits. */
function short(v: number): string {
  if (v === 0) return "0";
  const a = Math.abs(v);
  if (a >= 1e4 || a < 1e-3) return v.toExponential(0).replace("e+", "e");
  return String(Number(v.toPrecision(a >= 100 ? 3 : 2)));
}

export function drawChart(canvas: HTMLCanvasElement, lines: Line[], axes: Axes): void {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const width = canvas.clientWidth || 260, height = canvas.clientHeight || 96;
  if (canvas.width !== width * ratio) canvas.width = width * ratio;
  if (canvas.height !== height * ratio) canvas.height = height * ratio;
  const c = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  const all = lines.filter((l) => l.x.length > 0);
  c.font = "10px system-ui, sans-serif";
  c.fillStyle = style.color;
  if (all.length === 0) {
    c.globalAlpha = 0.6;
    c.fillText("nothing yet", 8, height / 2);
    c.globalAlpha = 1;
    return;
  }
  const value = (v: number) => (axes.log ? Math.log10(Math.max(v, 1e-300)) : v);
  const sums = axes.stacked ? stack(all) : all.map((l) => l.y);
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  all.forEach((l, i) => {
    l.x.forEach((x) => { x0 = Math.min(x0, x); x1 = Math.max(x1, x); });
    sums[i].forEach((y) => { if (Number.isFinite(y) && (!axes.log || y > 0)) { y0 = Math.min(y0, value(y)); y1 = Math.max(y1, value(y)); } });
  });
  if (!(y0 <= y1)) { y0 = 0; y1 = 1; }
  if (axes.stacked || axes.zero) { y0 = Math.min(0, y0); y1 = Math.max(0, y1); }
  if (axes.log) { y0 = Math.floor(y0); y1 = Math.ceil(y1); }
  if (y1 - y0 < 1e-12) { y1 += Math.abs(y1) * 0.1 + 1e-12; if (!axes.stacked) y0 -= Math.abs(y0) * 0.1 + 1e-12; }
  const left = 38, right = width - 6, top = 6, bottom = height - 14;
  const px = (x: number) => left + ((right - left) * (x - x0)) / Math.max(1e-12, x1 - x0);
  const py = (y: number) => bottom - ((bottom - top) * (y - y0)) / (y1 - y0);

  c.strokeStyle = style.color;
  c.lineWidth = 1;
  for (const f of [0, 0.5, 1]) {
    const y = y0 + f * (y1 - y0);
    c.globalAlpha = 0.15;
    c.beginPath();
    c.moveTo(left, py(y));
    c.lineTo(right, py(y));
    c.stroke();
    c.globalAlpha = 0.7;
    c.textAlign = "right";
    c.fillText(axes.log ? "1e" + Math.round(y) : short(y), left - 4, py(y) + 3);
  }
  c.textAlign = "left";
  c.fillText(short(x0), left, height - 3);
  c.textAlign = "right";
  c.fillText(`${short(x1)} ${axes.unit}`, right, height - 3);
  c.globalAlpha = 1;
  for (let i = all.length - 1; i >= 0; --i) {
    const l = all[i];
    c.beginPath();
    sums[i].forEach((y, k) => (k === 0 ? c.moveTo(px(l.x[k]), py(value(y))) : c.lineTo(px(l.x[k]), py(value(y)))));
    if (axes.stacked) {
      for (let k = l.x.length - 1; k >= 0; --k) c.lineTo(px(l.x[k]), py(i > 0 ? value(sums[i - 1][k] ?? 0) : y0));
      c.fillStyle = l.colour;
      c.globalAlpha = 0.85;
      c.fill();
      c.globalAlpha = 1;
    } else {
      c.strokeStyle = l.colour;
      c.lineWidth = 1.5;
      c.stroke();
      if (l.x.length < 40) {
        c.fillStyle = l.colour;
        sums[i].forEach((y, k) => { c.beginPath(); c.arc(px(l.x[k]), py(value(y)), 2, 0, 7); c.fill(); });
      }
    }
  }
}

function stack(lines: Line[]): number[][] {
  const out: number[][] = [];
  lines.forEach((l, i) => out.push(l.y.map((y, k) => y + (i > 0 ? out[i - 1][k] ?? 0 : 0))));
  return out;
}

interface Series {
  time: number[];
  iterations: number[];
  volume: number[];
  energy: number[];
  wall: number[];
  stages: Map<string, number[]>;
  history: number[];
}
const empty = (): Series => ({ time: [], iterations: [], volume: [], energy: [], wall: [], stages: new Map(), history: [] });

const sum = (...v: (number | null | undefined)[]) => v.reduce<number>((a, b) => a + (b ?? 0), 0);

export class Plots {
  private sides: Series[] = [];
  private run = -1;
  private shownRate: { x: number[]; y: number[] } = { x: [], y: [] };
  private pace: { x: number[]; y: number[] } = { x: [], y: [] };

  constructor(private readonly canvas: (name: string) => HTMLCanvasElement, private readonly legend: HTMLElement) {}

  add(stats: Stats, rate: number, fps: number): void {
    if (stats.run !== this.run) {
      this.run = stats.run;
      this.sides = [];
      this.shownRate = { x: [], y: [] };
      this.pace = { x: [], y: [] };
    }
    stats.sides.forEach((s, i) => {
      const series = (this.sides[i] ??= empty());
      if (!s?.steps?.length) return;
      this.addFrame(series, s.steps, s.wall);
      if (s.history.length > 0) series.history = s.history;
    });
    const t = this.sides[0]?.time.at(-1) ?? 0;
    push(this.shownRate, t, rate);
    push(this.pace, t, stats.pace * fps);
  }

  private addFrame(series: Series, steps: Step[], wall: number): void {
    const last = steps[steps.length - 1];
    series.time.push(last.time);
    series.iterations.push(sum(...steps.map((s) => s.iterations)) / steps.length);
    series.volume.push(last.volume ?? NaN);
    series.energy.push(sum(last.kinetic_energy, last.potential_energy, last.body_kinetic_energy, last.body_potential_energy));
    series.wall.push(wall);
    const n = series.time.length;
    for (const s of steps)
      for (const [name, t] of Object.entries(s.seconds)) {
        if (name === "total") continue;
        if (!series.stages.has(name)) series.stages.set(name, new Array(n - 1).fill(0));
        const list = series.stages.get(name)!;
        list[n - 1] = (list[n - 1] ?? 0) + t.wall;
      }
    for (const list of series.stages.values()) if (list.length < n) list.push(0);
    if (n > KEPT) {
      for (const list of [series.time, series.iterations, series.volume, series.energy, series.wall, ...series.stages.values()]) list.shift();
    }
  }

  draw(): void {
    const side = (i: number) => (this.sides.length > 1 ? (i === 0 ? "sticky" : "separating") : "");
    const each = (pick: (s: Series) => number[]): Line[] =>
      this.sides.map((s, i) => ({ x: s.time, y: pick(s), colour: COLOURS[i], label: side(i) }));
    drawChart(this.canvas("residual"), this.sides.map((s, i) => ({ x: s.history.map((_, k) => k), y: s.history, colour: COLOURS[i] })), { log: true, unit: "it." });
    drawChart(this.canvas("iterations"), each((s) => s.iterations), { unit: "s", zero: true });
    const stages = [...(this.sides[0]?.stages ?? [])].sort((a, b) => total(b[1]) - total(a[1]));
    const top = stages.slice(0, 8);
    const rest = stages.slice(8);
    if (rest.length > 0) top.push(["other", rest[0][1].map((_, k) => sum(...rest.map((r) => r[1][k])))]);
    drawChart(this.canvas("seconds"), top.map(([, y], i) => ({ x: this.sides[0].time, y, colour: COLOURS[i % COLOURS.length] })), { stacked: true, unit: "s" });
    this.legend.replaceChildren(...top.map(([name], i) => {
      const item = document.createElement("span");
      item.textContent = name;
      item.style.setProperty("--c", COLOURS[i % COLOURS.length]);
      return item;
    }));
    const drift = (list: number[]) => { const v0 = list.find((v) => Number.isFinite(v) && v !== 0); return list.map((v) => (v0 ? (100 * (v - v0)) / Math.abs(v0) : 0)); };
    drawChart(this.canvas("volume"), each((s) => drift(s.volume)), { unit: "s", zero: true });
    drawChart(this.canvas("energy"), each((s) => drift(s.energy)), { unit: "s", zero: true });
    drawChart(this.canvas("rate"), [{ ...this.pace, colour: COLOURS[0] }, { ...this.shownRate, colour: COLOURS[1] }], { unit: "s", zero: true });
  }
}

const total = (list: number[]) => list.reduce((a, b) => a + b, 0);
function push(to: { x: number[]; y: number[] }, x: number, y: number): void {
  to.x.push(x);
  to.y.push(y);
  if (to.x.length > KEPT) { to.x.shift(); to.y.shift(); }
}
