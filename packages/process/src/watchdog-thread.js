// Plain JavaScript on purpose: reading TypeScript would cost this thread 16 MiB more, and as much time again.
import { write } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** Milliseconds in which the last line of the log is written, or not: its reader may stand still. */
const WRITE_MS = 100

/** @type {import('./watchdog.ts').WatchdogData} */
const { state, places, lookMs, base } = workerData
/** Nothing wakes it: a way to sleep without an event loop. */
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** @param {number} milliseconds */
function sleep(milliseconds) {
  Atomics.wait(never, 0, 0, milliseconds)
}

/**
 * Ends the process, by the one signal that needs nothing of it.
 *
 * @param {string} message
 * @param {number} milliseconds of silence
 */
function end(message, milliseconds) {
  const line = { level: 'fatal', time: new Date().toISOString(), ...base, silent_ms: milliseconds, msg: message }
  // Not `writeSync`, which waits for a reader of the log that does not read.
  write(1, `${JSON.stringify(line)}\n`, () => {})
  sleep(WRITE_MS)
  process.kill(process.pid, 'SIGKILL')
}

let seen = Atomics.load(state, places.beats)
let silent = 0
for (;;) {
  sleep(lookMs)
  const beats = Atomics.load(state, places.beats)
  silent = beats === seen ? silent + lookMs : 0
  seen = beats
  const remaining = Atomics.load(state, places.remaining)
  if (remaining > lookMs) Atomics.store(state, places.remaining, remaining - lookMs)
  else if (remaining > 0) end('shutdown timed out: killing the process', silent)
  if (silent >= Atomics.load(state, places.limit))
    end('event loop blocked: killing the process (--watchdog-secs)', silent)
}
