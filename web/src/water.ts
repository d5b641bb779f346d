// Water: refraction of what lies behind, colour by the length of the way through it, mirrored sky.
//
// Thickness is exact for a closed surface whatever its shape: seen from the eye, every back face adds
// its distance and every front face takes its own away, both cut off at what opaque things hide.

import * as THREE from "three";
import { skyGlsl, skyUniforms } from "./sky";

const depthGlsl = /* glsl */ `
uniform sampler2D depthTexture;
uniform vec2 range;  // near, far
float sceneDistance(vec2 uv) {
  float z = texture2D(depthTexture, uv).x * 2.0 - 1.0;
  return 2.0 * range.x * range.y / (range.y + range.x - z * (range.y - range.x));
}`;

export class WaterMaterials {
  readonly shared = {
    depthTexture: { value: null as THREE.Texture | null },
    behind: { value: null as THREE.Texture | null },
    thickness: { value: null as THREE.Texture | null },
    range: { value: new THREE.Vector2() },
    view: { value: new THREE.Vector4() }, // x, y, width, height of the viewport in pixels
    colour: { value: new THREE.Color() },
    bySpeed: { value: 0 },
  };
  readonly thick: THREE.ShaderMaterial;
  readonly surface: THREE.ShaderMaterial;

  constructor() {
    this.thick = new THREE.ShaderMaterial({
      uniforms: this.shared,
      side: THREE.DoubleSide,
      depthTest: false,
      depthWrite: false,
      transparent: true,
      blending: THREE.CustomBlending,
      blendEquation: THREE.AddEquation,
      blendSrc: THREE.OneFactor,
      blendDst: THREE.OneFactor,
      vertexShader: /* glsl */ `
        varying float away;
        varying vec2 uv0;
        void main() {
          vec4 p = modelViewMatrix * vec4(position, 1.0);
          away = -p.z;
          gl_Position = projectionMatrix * p;
        }`,
      fragmentShader: /* glsl */ `
        varying float away;
        uniform vec4 view;
        ${depthGlsl}
        void main() {
          float d = min(away, sceneDistance(gl_FragCoord.xy / view.zw));
          gl_FragColor = vec4(gl_FrontFacing ? -d : d, 0.0, 0.0, 0.0);
        }`,
    });

    this.surface = new THREE.ShaderMaterial({
      uniforms: { ...skyUniforms, ...this.shared },
      vertexShader: /* glsl */ `
        attribute float speed;
        varying vec3 inView, n;
        varying float fast;
        void main() {
          vec4 p = modelViewMatrix * vec4(position, 1.0);
          inView = p.xyz;
          n = normalMatrix * normal;
          fast = speed;
          gl_Position = projectionMatrix * p;
        }`,
      fragmentShader: /* glsl */ `
        varying vec3 inView, n;
        varying float fast;
        uniform vec4 view;
        uniform sampler2D behind, thickness;
        uniform vec3 colour;
        uniform float bySpeed;
        ${depthGlsl}
        ${skyGlsl}
        vec3 ramp(float t) {  // dark blue, teal, sand, white
          vec3 a = mix(vec3(0.02, 0.06, 0.22), vec3(0.0, 0.42, 0.55), smoothstep(0.0, 0.35, t));
          a = mix(a, vec3(0.95, 0.72, 0.28), smoothstep(0.3, 0.7, t));
          return mix(a, vec3(1.0, 0.97, 0.92), smoothstep(0.7, 1.0, t));
        }
        void main() {
          vec2 uv = (gl_FragCoord.xy - view.xy) / view.zw;
          vec3 e = normalize(-inView);
          vec3 m = normalize(n);
          float facing = clamp(dot(m, e), 0.0, 1.0);
          float way = max(texture2D(thickness, uv).x, 0.0);

          // Refraction in the plane of the screen, more the longer the way and the nearer the eye.
          vec2 bend = -m.xy * vec2(view.w / view.z, 1.0) * 0.3 * min(way, 0.35) / max(-inView.z, 0.3);
          vec2 there = clamp(uv + bend, 0.002, 0.998);
          if (sceneDistance(there) < -inView.z) there = uv;  // not what stands in front
          vec3 seen = texture2D(behind, there).rgb;
          float through = max(texture2D(thickness, there).x, 0.35 * way);

          // Red goes first: what is left after a way is colour^(way), and depth shines by itself a bit.
          vec3 absorb = -log(clamp(colour * 1.15 + 0.04, 0.03, 0.97)) * 3.2;
          vec3 left = exp(-absorb * through);
          vec3 world = (vec4(m, 0.0) * viewMatrix).xyz;
          float lit = 0.45 + 0.35 * clamp(dot(world, sun), 0.0, 1.0) + 0.2 * world.y;
          vec3 deep = colour * inside * lit;
          vec3 c = seen * left + deep * (1.0 - exp(-1.25 * through));
          if (bySpeed > 0.0) c = mix(c, ramp(fast) * (0.55 + 0.6 * lit), 0.85 * bySpeed);

          vec3 mirrored = reflect(-(vec4(e, 0.0) * viewMatrix).xyz, world);
          float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
          c = mix(c, sky(mirrored), fresnel * 0.9);
          c += glint(mirrored, 320.0) * 1.4 + glint(mirrored, 24.0) * 0.04;
          gl_FragColor = vec4(c, 1.0);
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
        }`,
    });
  }
}

/** A surface whose arrays are replaced frame by frame. */
export class WaterSurface {
  readonly geometry = new THREE.BufferGeometry();
  private capacity = { vertices: 0, indices: 0 };

  set(positions: Float32Array, indices: Uint32Array, speeds: Uint8Array): void {
    const g = this.geometry;
    const vertices = positions.length / 3;
    if (!g.getIndex() || vertices > this.capacity.vertices || indices.length > this.capacity.indices) {
      // Room to grow, so that buffers are made anew seldom.
      this.capacity = { vertices: Math.ceil(vertices * 1.3) + 64, indices: Math.ceil(indices.length * 1.3) + 64 };
      g.dispose();
      const { vertices: v, indices: n } = this.capacity;
      g.setAttribute("position", dynamic(new THREE.BufferAttribute(new Float32Array(3 * v), 3)));
      g.setAttribute("normal", dynamic(new THREE.BufferAttribute(new Float32Array(3 * v), 3)));
      g.setAttribute("speed", dynamic(new THREE.BufferAttribute(new Uint8Array(v), 1, true)));
      g.setIndex(dynamic(new THREE.BufferAttribute(new Uint32Array(n), 1)));
    }
    fill(g.getAttribute("position") as THREE.BufferAttribute, positions);
    fill(g.getAttribute("speed") as THREE.BufferAttribute, speeds);
    const normal = g.getAttribute("normal") as THREE.BufferAttribute;
    normals(positions, indices, normal.array as Float32Array);
    ranged(normal, positions.length);
    fill(g.getIndex()!, indices);
    g.setDrawRange(0, indices.length);
  }
}

function dynamic(a: THREE.BufferAttribute): THREE.BufferAttribute {
  return a.setUsage(THREE.DynamicDrawUsage);
}
function ranged(a: THREE.BufferAttribute, count: number): void {
  a.clearUpdateRanges();
  a.addUpdateRange(0, count);
  a.needsUpdate = true;
}
function fill(a: THREE.BufferAttribute, from: ArrayLike<number>): void {
  (a.array as Float32Array).set(from);
  ranged(a, from.length);
}

/** Normals of vertices, triangles weighted by their area; not of unit length (shaders see to that). */
function normals(p: Float32Array, t: Uint32Array, out: Float32Array): void {
  out.fill(0, 0, p.length);
  for (let i = 0; i < t.length; i += 3) {
    const a = 3 * t[i], b = 3 * t[i + 1], c = 3 * t[i + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[a] += x; out[a + 1] += y; out[a + 2] += z;
    out[b] += x; out[b + 1] += y; out[b + 2] += z;
    out[c] += x; out[c + 1] += y; out[c + 2] += z;
  }
  for (let i = 0; i < p.length; i += 3) {
    const l = Math.hypot(out[i], out[i + 1], out[i + 2]);
    if (l > 0) { out[i] /= l; out[i + 1] /= l; out[i + 2] /= l; }
    else out[i + 1] = 1;
  }
}
