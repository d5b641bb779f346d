// What the server says: the texts as types, and the bytes of frames and scenes (src/slosh/view/frame.h).

export type Vec3 = [number, number, number];

export interface Parameter {
  key: string;
  unit: string;
  doc: string;
  schema: { type?: string; minimum?: number; maximum?: number; enum?: (string | number)[] };
  value: number | string | boolean;
}

export interface Part {
  part: "solid" | "body" | "ground";
  index: number;
  look: "glass" | "opaque" | "hidden";
  colour: Vec3;
  lo: Vec3;
  hi: Vec3;
}
export interface MeshPart extends Part {
  positions: Float32Array;
  indices: Uint32Array;
}
export interface FieldPart extends Part {
  nx: number;
  ny: number;
  texels: Uint8Array;
}

export interface SceneInfo {
  run: number;
  name: string;
  description: string;
  dim: 2 | 3;
  up: 1 | 2;
  lo: Vec3;
  hi: Vec3;
  dx: number;
  cells: Vec3;
  fps: number;
  frames: number;
  camera: Vec3;
  target: Vec3;
  fov: number;
  colour: Vec3;
  sky: Vec3;
  walls: "glass" | "hidden";
  floor: boolean;
  gas: boolean;
  tall: boolean;
  live: boolean;
  sides: string[];
  tools: string[];
  parameters: Parameter[];
  meshes: MeshPart[];
  fields: FieldPart[];
}

export interface Frame {
  run: number;
  side: number;
  frame: number;
  time: number;
  dim: 2 | 3;
  topSpeed: number;
  positions: Float32Array;
  indices: Uint32Array;
  speeds: Uint8Array;
  points: Float32Array;
  pointSpeeds: Uint8Array;
  pointDensities: Uint8Array;
  pointViscosities: Uint8Array; // of the logarithm: 0 at 1e-3 kg/(m s), 255 at 1e8
  bodies: number[][];
  solids: number[][];
  tilt: Vec3;
  shift: Vec3;
  bytes: number;
}

export interface State {
  type: "state";
  run: number;
  playing: boolean;
  live: boolean;
  frame: number;
  first: number;
  last: number;
  total: number;
  compare: boolean;
  points: boolean;
  separation: string;
  solver: string;
  pace: number;
  bytes: number;
  video: { busy: boolean; ready: boolean; done: number; of: number };
}

export interface Step {
  time: number;
  dt: number;
  iterations: number;
  residual: number | null;
  volume: number | null;
  kinetic_energy: number | null;
  potential_energy: number | null;
  body_kinetic_energy?: number | null;
  body_potential_energy?: number | null;
  particles: number;
  solver: string;
  seconds: Record<string, { wall: number; cpu: number }>;
}
export interface Stats {
  type: "stats";
  run: number;
  pace: number;
  bytes: number;
  sides: { frame: number; wall: number; steps: Step[]; history: number[] }[];
}

export interface BuiltinScene {
  name: string;
  description: string;
  dim: number;
  variants: string[];
}

export type Text =
  | State
  | Stats
  | { type: "role"; controls: boolean; viewers: number }
  | { type: "scenes"; scenes: BuiltinScene[] }
  | { type: "error"; text: string }
  | { type: "refused"; why: string };

async function inflate(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  const out = new Uint8Array(await new Response(stream).arrayBuffer());
  if (out.length !== size) throw new Error("a message from the server is not whole");
  return out;
}

/** Takes arrays one after another, as the server put them. */
class Arrays {
  private at = 0;
  constructor(private readonly data: Uint8Array) {}

  bytes(n: number): Uint8Array {
    this.at += n;
    return this.data.subarray(this.at - n, this.at);
  }
  /** Three numbers a vertex, whatever the dimension. */
  positions(n: number, dim: number, lo: Vec3, hi: Vec3): Float32Array {
    const out = new Float32Array(3 * n);
    for (let d = 0; d < dim; ++d) {
      const p = this.bytes(2 * n);
      const scale = (hi[d] - lo[d]) / 65535;
      let now = 0;
      for (let i = 0; i < n; ++i) {
        const code = p[i] | (p[n + i] << 8);
        now = (now + ((code >> 1) ^ -(code & 1))) & 0xffff;
        out[3 * i + d] = lo[d] + scale * now;
      }
    }
    return out;
  }
  indices(n: number): Uint32Array {
    const out = new Uint32Array(n);
    const p = this.bytes(4 * n);
    let now = 0;
    for (let i = 0; i < n; ++i) {
      const code = p[i] | (p[n + i] << 8) | (p[2 * n + i] << 16) | (p[3 * n + i] << 24);
      now += (code >>> 1) ^ -(code & 1);
      out[i] = now;
    }
    return out;
  }
}

export type Binary = { kind: "frame"; frame: Frame } | { kind: "scene"; scene: SceneInfo };

export async function decode(buffer: ArrayBuffer): Promise<Binary> {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x534c5348) throw new Error("unknown message");
  const size = view.getUint32(4, true);
  const h = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  const a = new Arrays(await inflate(new Uint8Array(buffer, 8 + size), h.raw));
  if (h.kind === "scene") {
    for (const m of h.meshes) {
      m.positions = a.positions(m.vertices, 3, m.lo, m.hi);
      m.indices = a.indices(3 * m.elements);
    }
    for (const f of h.fields) f.texels = a.bytes(f.nx * f.ny);
    return { kind: "scene", scene: h as SceneInfo };
  }
  const corners = h.dim === 2 ? 2 : 3;
  const positions = a.positions(h.vertices, h.dim, h.lo, h.hi);
  const indices = a.indices(corners * h.elements);
  const speeds = a.bytes(h.vertices);
  const points = a.positions(h.points, h.dim, h.lo, h.hi);
  return {
    kind: "frame",
    frame: {
      run: h.run, side: h.side, frame: h.frame, time: h.time, dim: h.dim, topSpeed: h.top_speed,
      positions, indices, speeds, points,
      pointSpeeds: a.bytes(h.points), pointDensities: a.bytes(h.points), pointViscosities: a.bytes(h.points),
      bodies: h.bodies, solids: h.solids, tilt: h.tilt, shift: h.shift, bytes: buffer.byteLength,
    },
  };
}
