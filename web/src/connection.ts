// The stream from the server. A lost connection is tried again until it is back.

import { decode, type Frame, type SceneInfo, type Text } from "./protocol";

export interface Listener {
  text(message: Text): void;
  scene(scene: SceneInfo): void;
  frame(frame: Frame): void;
  connected(yes: boolean): void;
}

const RETRY = 700; // ms

export class Connection {
  private socket: WebSocket | null = null;
  private order: Promise<void> = Promise.resolve();
  private open = false;

  constructor(private readonly listener: Listener) {
    this.connect();
  }

  say(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private connect(): void {
    const token = new URLSearchParams(location.search).get("token");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(
      `${scheme}://${location.host}/stream${token ? "?token=" + encodeURIComponent(token) : ""}`);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.open = true;
      this.listener.connected(true);
    };
    socket.onmessage = (e) => {
      // Unpacking takes its time; messages are still taken in the order they came.
      const data = e.data as string | ArrayBuffer;
      const ready = typeof data === "string" ? null : decode(data);
      ready?.catch(() => undefined);
      this.order = this.order
        .then(async () => {
          if (typeof data === "string") return this.listener.text(JSON.parse(data) as Text);
          const message = await ready!;
          if (message.kind === "scene") this.listener.scene(message.scene);
          else this.listener.frame(message.frame);
        })
        .catch((error) => console.error(error));
    };
    socket.onclose = () => {
      if (this.open) this.listener.connected(false);
      this.open = false;
      setTimeout(() => this.connect(), RETRY);
    };
  }
}
