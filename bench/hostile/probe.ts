import { Agent, get } from 'node:http'
import { parentPort, Worker, workerData } from 'node:worker_threads'

/** Milliseconds between an answer and the next question. */
const PAUSE = 4

/** Polls the liveness of a server from a dedicated thread. */
export interface Probe {
  /** The longest time in milliseconds that an answer took since the last call. */
  longest(): number
  stop(): Promise<unknown>
}

export function startProbe(url: string): Probe {
  const shared = new Float64Array(new SharedArrayBuffer(16))
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, shared } })
  return {
    longest() {
      // Pending requests count too.
      const [longest = 0, asked = 0] = shared
      shared[0] = 0
      return Math.max(longest, asked === 0 ? 0 : now() - asked)
    },
    stop: () => worker.terminate(),
  }
}

/** Milliseconds on a clock that all threads share. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

function ask(url: string, agent: Agent, shared: Float64Array): void {
  const again = () => {
    shared[0] = Math.max(shared[0] ?? 0, now() - (shared[1] ?? 0))
    shared[1] = 0
    setTimeout(() => ask(url, agent, shared), PAUSE)
  }
  shared[1] = now()
  get(url, { agent }, (response) => response.resume().on('end', again)).on('error', again)
}

if (parentPort !== null) {
  const { url, shared } = workerData as { readonly url: string; readonly shared: Float64Array }
  ask(`${url}/healthz/live`, new Agent({ keepAlive: true, maxSockets: 1 }), shared)
}
