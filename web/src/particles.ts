// Particles as little balls (or discs in 2D), coloured by speed, density or viscosity; smoke as soft puffs.

import * as THREE from "three";
import type { Frame } from "./protocol";

export type Colouring = "speed" | "density" | "viscosity";

const vertexShader = /* glsl */ `
  attribute float speed, density, viscosity;
  uniform float radius, pixels;
  uniform vec3 by;
  varying float value, thick;
  varying float across;
  void main() {
    vec4 p = modelViewMatrix * vec4(position, 1.0);
    value = dot(by, vec3(speed, density * 0.5, viscosity));
    thick = density;
    gl_Position = projectionMatrix * p;
    float w = projectionMatrix[3][3] == 1.0 ? 1.0 : -p.z;
    across = 2.0 * radius * projectionMatrix[1][1] * pixels * 0.5 / w;
    gl_PointSize = clamp(across, 1.5, 256.0);
  }`;

const ramp = /* glsl */ `
  vec3 ramp(float t) {
    vec3 a = mix(vec3(0.015, 0.05, 0.28), vec3(0.0, 0.36, 0.75), smoothstep(0.0, 0.25, t));
    a = mix(a, vec3(0.1, 0.78, 0.75), smoothstep(0.2, 0.5, t));
    a = mix(a, vec3(1.0, 0.82, 0.25), smoothstep(0.45, 0.75, t));
    return mix(a, vec3(1.0, 0.32, 0.18), smoothstep(0.75, 1.0, t));
  }`;

export class ParticleCloud {
  readonly points: THREE.Points;
  private readonly geometry = new THREE.BufferGeometry();
  readonly material: THREE.ShaderMaterial;

  constructor(readonly smoke: boolean, radius: number, flat: boolean) {
    this.material = new THREE.ShaderMaterial({
      uniforms: {
        radius: { value: radius },
        pixels: { value: 1 },
        by: { value: new THREE.Vector3(1, 0, 0) },
        shade: { value: new THREE.Color(0.8, 0.8, 0.82) },
        white: { value: 0 }, // 1: drops of spray and foam
      },
      transparent: smoke,
      depthWrite: !smoke && !flat,
      depthTest: !flat,
      vertexShader,
      fragmentShader: smoke
        ? /* glsl */ `
          varying float value, thick;
          uniform vec3 shade;
          void main() {
            float r = length(gl_PointCoord - 0.5) * 2.0;
            float a = smoothstep(1.0, 0.0, r) * clamp(thick * 0.16, 0.0, 0.5);
            if (a < 0.003) discard;
            gl_FragColor = vec4(shade, a);
            #include <tonemapping_fragment>
            #include <colorspace_fragment>
          }`
        : /* glsl */ `
          varying float value, across;
          uniform float white;
          ${ramp}
          void main() {
            vec2 q = gl_PointCoord * 2.0 - 1.0;
            float r = dot(q, q);
            if (r > 1.0) discard;
            float lit = ${flat ? "1.0" : "0.55 + 0.5 * max(dot(vec3(q.x, -q.y, sqrt(1.0 - r)), normalize(vec3(-0.4, 0.8, 0.5))), 0.0)"};
            gl_FragColor = vec4(mix(ramp(value), vec3(0.9, 0.94, 0.97), white) * lit, 1.0);
            #include <tonemapping_fragment>
            #include <colorspace_fragment>
          }`,
    });
    this.points = new THREE.Points(this.geometry, this.material);
    this.points.frustumCulled = false;
  }

  set(frame: Frame): void {
    const g = this.geometry;
    const old = g.getAttribute("position") as THREE.BufferAttribute | undefined;
    if (old && old.count === frame.points.length / 3) {
      (old.array as Float32Array).set(frame.points);
      (g.getAttribute("speed") as THREE.BufferAttribute).array.set(frame.pointSpeeds);
      (g.getAttribute("density") as THREE.BufferAttribute).array.set(frame.pointDensities);
      (g.getAttribute("viscosity") as THREE.BufferAttribute).array.set(frame.pointViscosities);
      for (const key of ["position", "speed", "density", "viscosity"]) g.getAttribute(key).needsUpdate = true;
      return;
    }
    g.dispose();
    g.setAttribute("position", new THREE.BufferAttribute(frame.points, 3));
    g.setAttribute("speed", new THREE.BufferAttribute(frame.pointSpeeds, 1, true));
    g.setAttribute("density", new THREE.BufferAttribute(frame.pointDensities, 1, true));
    g.setAttribute("viscosity", new THREE.BufferAttribute(frame.pointViscosities, 1, true));
    // Bytes of density go to 2, see the server; the shader halves them again for colours.
  }

  setColouring(colouring: Colouring, pixels: number): void {
    this.material.uniforms.by.value.set(
      +(colouring === "speed"), +(colouring === "density"), +(colouring === "viscosity"));
    this.material.uniforms.pixels.value = pixels;
  }
}
