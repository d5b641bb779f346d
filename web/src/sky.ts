// The room that everything stands in: colours of sky and floor, dark or light, and the same sky for
// what is mirrored in water and glass.

import * as THREE from "three";

export interface Look {
  zenith: THREE.Color;
  horizon: THREE.Color;
  floor: THREE.Color;
  lamp: number; // brightness of the large soft lamp overhead
  sun: number;
  inside: number; // light within water
  grid: number; // lines of the floor, against its colour
  paper: THREE.Color; // behind 2D scenes
}

const srgb = (hex: number) => new THREE.Color().setHex(hex);

export const looks: Record<"light" | "dark", Look> = {
  light: { zenith: srgb(0x9fc0de), horizon: srgb(0xe9eff4), floor: srgb(0xdfe3e6), lamp: 1.5, sun: 2.4, inside: 0.72, grid: -0.06, paper: srgb(0xf4f6f8) },
  dark: { zenith: srgb(0x171e29), horizon: srgb(0x36424f), floor: srgb(0x333d48), lamp: 1.9, sun: 2.0, inside: 0.7, grid: 0.018, paper: srgb(0x151a21) },
};

export const sunDirection = new THREE.Vector3(-0.5, 0.85, 0.55).normalize();

/** Uniforms that all materials share; setLook() changes them in place. */
export const skyUniforms = {
  zenith: { value: new THREE.Color() },
  horizon: { value: new THREE.Color() },
  floorColour: { value: new THREE.Color() },
  lamp: { value: 1 },
  sunPower: { value: 1 },
  inside: { value: 1 },
  gridPower: { value: 0 },
  sun: { value: sunDirection },
};

export function setLook(look: Look): void {
  skyUniforms.zenith.value.copy(look.zenith);
  skyUniforms.horizon.value.copy(look.horizon);
  skyUniforms.floorColour.value.copy(look.floor);
  skyUniforms.lamp.value = look.lamp;
  skyUniforms.sunPower.value = look.sun;
  skyUniforms.inside.value = look.inside;
  skyUniforms.gridPower.value = look.grid;
}

export const skyGlsl = /* glsl */ `
uniform vec3 zenith, horizon, floorColour, sun;
uniform float lamp, sunPower, inside, gridPower;
// What is seen in direction d (unit, y up): a floor, a sky, and a soft lamp the size of a window.
vec3 sky(vec3 d) {
  vec3 up = mix(horizon, zenith, pow(clamp(d.y, 0.0, 1.0), 0.55));
  vec3 down = mix(horizon, floorColour * 0.75, smoothstep(0.0, 0.25, -d.y));
  vec3 c = d.y > 0.0 ? up : down;
  vec2 w = d.xz / max(d.y, 0.05) - vec2(-0.55, 0.55);
  float window = d.y > 0.05 ? smoothstep(0.75, 0.45, abs(w.x)) * smoothstep(0.75, 0.45, abs(w.y)) : 0.0;
  return c + lamp * window * vec3(1.0, 0.97, 0.92);
}
float glint(vec3 d, float sharp) { return sunPower * pow(max(dot(d, sun), 0.0), sharp); }
`;

/** A dome that follows the camera. */
export function makeSky(): THREE.Mesh {
  const material = new THREE.ShaderMaterial({
    uniforms: skyUniforms,
    side: THREE.BackSide,
    depthWrite: false,
    depthTest: false,
    vertexShader: /* glsl */ `
      varying vec3 direction;
      void main() {
        direction = position;
        gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      varying vec3 direction;
      ${skyGlsl}
      void main() {
        vec3 d = normalize(direction);
        // The lamp is for mirrors only: seen itself it would only blind.
        vec3 c = d.y > 0.0 ? mix(horizon, zenith, pow(d.y, 0.55)) : horizon;
        gl_FragColor = vec4(c, 1.0);
        #include <tonemapping_fragment>
        #include <colorspace_fragment>
      }`,
  });
  const dome = new THREE.Mesh(new THREE.SphereGeometry(10, 32, 16), material);
  dome.frustumCulled = false;
  dome.renderOrder = -10;
  return dome;
}

/** A floor at height y that fades into the horizon, with a soft shadow under what stands on it. */
export function makeFloor(y: number, extent: THREE.Vector2): THREE.Mesh {
  const material = new THREE.ShaderMaterial({
    uniforms: { ...skyUniforms, extent: { value: extent } },
    vertexShader: /* glsl */ `
      varying vec3 at;
      void main() {
        vec4 world = modelMatrix * vec4(position, 1.0);
        at = world.xyz;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: /* glsl */ `
      varying vec3 at;
      uniform vec2 extent;
      ${skyGlsl}
      float line(float x) { float w = fwidth(x); return smoothstep(w, 0.0, abs(fract(x - 0.5) - 0.5) - 0.5 * w); }
      void main() {
        float r = length(at.xz);
        float grid = max(line(at.x * 4.0), line(at.z * 4.0)) * smoothstep(2.2, 0.4, r);
        vec2 q = max(abs(at.xz - vec2(0.05, -0.05)) - extent * 0.92, 0.0);
        float shade = 0.34 * exp(-30.0 * dot(q, q));
        vec3 c = floorColour * (1.0 - shade) + grid * gridPower;
        c = mix(c, horizon, smoothstep(0.8, 4.5, r));
        gl_FragColor = vec4(c, 1.0);
        #include <tonemapping_fragment>
        #include <colorspace_fragment>
      }`,
  });
  const floor = new THREE.Mesh(new THREE.CircleGeometry(12, 64), material);
  floor.rotation.x = -Math.PI / 2;
  floor.position.y = y;
  floor.renderOrder = -9;
  return floor;
}
