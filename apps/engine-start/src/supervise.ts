import { withNpx } from '@engine/process'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Why a session ends: a program ended by itself, or a signal came. */
class SessionEnd extends Error {}

/** A program, or a watcher, that ends with the session. */
export interface Part {
  readonly ended: Promise<unknown>
  stop(): void
}

/** Programs that run together and end together. */
export interface Session {
  /** Throws `SessionEnd` when the session is over: a wait that nothing ends would keep the process. */
  check(): void
  /** Stop this part with the session, the newest part first. */
  add(part: Part): void
  /** End the session as failed, with the reason. */
  fail(reason: string): void
}

/**
 * Run the programs that `begin` starts until a signal comes or the session fails; then stop all of them, the newest first.
 * Resolves with the exit code: 0 after a signal, 1 after a failure, whose reason is on standard error.
 */
export async function supervise(begin: (session: Session) => Promise<void>): Promise<number> {
  const parts: Part[] = []
  let isSignalled = false
  let isOver = false
  const over = Promise.withResolvers<never>()
  // It is awaited only after `begin`.
  over.promise.catch(() => {})
  const end = (reason: string) => {
    isOver = true
    over.reject(new SessionEnd(reason))
  }
  const endBySignal = () => {
    isSignalled = true
    end('')
  }
  for (const signal of SIGNALS) process.on(signal, endBySignal)
  void withNpx().then(endBySignal)
  const session: Session = {
    check: () => {
      if (isOver) throw new SessionEnd()
    },
    add: (part) => void parts.push(part),
    fail: end,
  }
  try {
    await Promise.race([begin(session), over.promise])
    return await over.promise
  } catch (error) {
    for (const part of parts.toReversed()) {
      part.stop()
      await part.ended
    }
    if (!(error instanceof SessionEnd)) throw error
    if (isSignalled) return 0
    process.stderr.write(`error: ${error.message}; the other programs were stopped, see the messages above\n`)
    return 1
  }
}
