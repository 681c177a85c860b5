// One websocket to the lab. Every question has a number and every answer names it. Of questions on
// one topic that wait for an answer only the latest is asked.

const AGAIN = 1500; // milliseconds until a lost lab is tried again

export class Wire {
  constructor(said) {
    this.said = said; // (connected) => …
    this.count = 0;
    this.waiting = new Map(); // number → what to do with its answers
    this.topics = new Map(); // topic → { flying, next }
    this.opened = new Set();
    this.news = {}; // what to do with what is said without being asked, by its kind
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/talk`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.said(true);
      for (const act of [...this.opened]) act();
    };
    this.socket.onclose = () => {
      this.said(false);
      const lost = [...this.waiting.values()];
      this.waiting.clear();
      this.topics.clear();
      for (const answered of lost) answered({ lost: true }, {});
      setTimeout(() => this.connect(), AGAIN);
    };
    this.socket.onmessage = ({ data }) => {
      const { header, arrays } = typeof data === "string" ? { header: JSON.parse(data), arrays: {} } : unpacked(data);
      (this.waiting.get(header.id) ?? this.news[header.kind])?.(header, arrays);
    };
  }

  get ready() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** `act` runs at every connection, and now if there is one. */
  onOpen(act) {
    this.opened.add(act);
    if (this.ready) act();
    return () => this.opened.delete(act);
  }

  /** Sends a question; `answered(header, arrays)` runs for every answer until `forget`. */
  ask(message, answered) {
    const id = ++this.count;
    this.waiting.set(id, answered);
    if (this.ready) this.socket.send(JSON.stringify({ ...message, id }));
    else {
      this.waiting.delete(id);
      answered({ lost: true }, {});
    }
    return id;
  }

  forget(id) {
    this.waiting.delete(id);
  }

  tell(message) {
    if (this.ready) this.socket.send(JSON.stringify(message));
  }

  /** A question with one answer, as a promise; a problem is thrown. */
  once(message) {
    return new Promise((resolve, reject) => {
      const id = this.ask(message, (header, arrays) => {
        this.forget(id);
        if (header.lost) reject(new Error("The lab has stopped; trying again. Settings are in the address."));
        else if (header.problem) reject(new Error(header.problem));
        else resolve({ ...header, arrays });
      });
    });
  }

  /** As `once`, but while one question of a topic is in flight, only the latest other one waits. */
  latest(topic, message, answered) {
    const line = this.topics.get(topic) ?? { flying: false, next: null };
    this.topics.set(topic, line);
    if (line.flying) {
      line.next = { message, answered };
      return;
    }
    line.flying = true;
    const id = this.ask(message, (header, arrays) => {
      this.forget(id);
      line.flying = false;
      const { next } = line;
      line.next = null;
      if (!header.lost) answered(header, arrays);
      if (next) this.latest(topic, next.message, next.answered);
    });
  }
}

/** A length, a header in JSON, and float32 arrays end to end, which are viewed in place. */
export function unpacked(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const arrays = {};
  let at = 4 + size;
  for (const [name, shape] of header.arrays) {
    const length = shape.reduce((a, b) => a * b, 1);
    arrays[name] = new Float32Array(buffer, at, length);
    at += 4 * length;
  }
  if (header.kind === "file") arrays.file = new Uint8Array(buffer, at, header.bytes);
  return { header, arrays };
}
