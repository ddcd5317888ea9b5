import type { CapabilityProvider } from '@engine/ruleset'
import type { Socket } from 'node:net'
import type { Configuration } from '../config/config.ts'
import { createLog, type Log, shutDown, type ShutdownStep, StartError } from '@engine/process'
import type { Begin, FromWorker, Place, Question, RulesetsOf, ToWorker } from './messages.ts'

/** A worker that can answer requests. */
export interface Answering {
  take(connection: Socket, place: Place): void
  /** Resolves to the answer when the question has been handled. */
  answer(question: Exclude<Question, { kind: 'connection' }>): Promise<string>
  /** Shutdown steps, in this order. */
  readonly shutdown: readonly ShutdownStep[]
}

export interface WorkerParts {
  /** Counted from 1. */
  readonly number: number
  readonly configuration: Configuration
  readonly begin: Begin
  readonly stored: readonly RulesetsOf[]
  readonly log: Log
  readonly ownCapabilities: readonly CapabilityProvider[]
  /** Resolves when the message has been sent. */
  readonly tell: (message: FromWorker) => Promise<void>
}

/**
 * Runs a worker process until the owner stops it. If the owner ends, `node:cluster` ends this process immediately.
 *
 * @param watch called with the log as soon as it exists
 * @param compose creates the server after all stored rulesets have arrived
 */
export function runWorker(
  number: number,
  configuration: Configuration,
  ownCapabilities: readonly CapabilityProvider[],
  watch: (log: Log) => void,
  compose: (parts: WorkerParts) => Promise<Answering>,
): void {
  // A terminal sends signals to all processes; a worker ends when its owner, which receives them too, stops it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const closed = countClosed((count) => void tell({ kind: 'closed', count }))
  let loading: { readonly begin: Begin; readonly log: Log; readonly stored: RulesetsOf[] } | undefined
  let answering: Answering | undefined

  const loaded = () => {
    if (loading === undefined) throw new TypeError('the owner has not sent the initial state')
    return loading
  }

  async function complete(): Promise<void> {
    const { begin, stored, log } = loaded()
    try {
      answering = await compose({ number, configuration, begin, stored: stored.splice(0), log, ownCapabilities, tell })
      void tell({ kind: 'ready' })
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      await tell({ kind: 'failed', reason: error.message })
      process.exit(1)
    }
  }

  async function stop(milliseconds: number): Promise<void> {
    const { log } = loaded()
    await shutDown(answering?.shutdown ?? [], milliseconds, log)
    await log.flush()
    process.exit(0)
  }

  async function answer({ id, question }: Extract<ToWorker, { kind: 'question' }>, connection?: Socket) {
    let text = ''
    if (question.kind !== 'connection') text = (await answering?.answer(question)) ?? ''
    else if (connection !== undefined) {
      connection.once('close', closed)
      answering?.take(connection, question.place)
    } else closed()
    void tell({ kind: 'answer', id, text })
  }

  async function handle(message: Exclude<ToWorker, { kind: 'ping' }>, connection?: Socket): Promise<void> {
    switch (message.kind) {
      case 'begin': {
        const { logLevel: level, logFormat: format, serviceName: service } = configuration
        const log = createLog({ level, format, service, instance: message.instanceId, worker: number })
        watch(log)
        loading = { begin: message, log, stored: [] }
        return
      }
      case 'rulesets':
        return void loaded().stored.push(message)
      case 'complete':
        return complete()
      case 'question':
        return answer(message, connection)
      case 'stop':
        // Not awaited: pending work may need further messages from the owner.
        return void stop(message.milliseconds)
    }
  }

  let last: Promise<void> = Promise.resolve()
  process.on('message', (message: ToWorker, connection?: Socket) => {
    if (message.kind === 'ping') return void tell({ kind: 'alive' })
    if (connection !== undefined) {
      connection.on('error', () => connection.destroy())
      connection.allowHalfOpen = speaksPlainHttp(message, configuration)
    }
    // The response reflects all acknowledged changes, except a failed one, which is not awaited.
    if (message.kind === 'question' && message.question.kind === 'connection' && answering !== undefined)
      return void answer(message, connection)
    last = last.then(() => handle(message, connection))
  })
  void tell({ kind: 'hello' })
}

/**
 * True if a connection belongs to an HTTP server without TLS, which keeps half-closed connections open until it has
 * answered. A broken TLS connection would otherwise never be closed.
 */
function speaksPlainHttp(message: ToWorker, { httpTlsCert }: Configuration): boolean {
  if (message.kind !== 'question' || message.question.kind !== 'connection') return false
  const { place } = message.question
  return place === 'socket' || (place === 'http' && httpTlsCert === undefined)
}

/** Resolves when the message has been sent, or cannot be: the owner has then ended, and this process ends with it. */
function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve())
  })
}

/** Counts calls, and reports those of one turn of the event loop together. */
function countClosed(told: (count: number) => void): () => void {
  let count = 0
  return () => {
    if (count++ > 0) return
    setImmediate(() => {
      told(count)
      count = 0
    })
  }
}
