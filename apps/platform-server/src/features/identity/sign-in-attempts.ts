import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'

const WINDOW_MS = 15 * 60_000

/** Maximum number of attempts per window. */
const MAX = { account: 10, device: 10, address: 100, reset: 5 } as const

/** The subject whose attempts are counted. */
export type Subject = `${keyof typeof MAX}:${string}`

/**
 * Count an attempt before it is evaluated, so that concurrent attempts cannot bypass the limit. Throws `PlatformError` beyond
 * the limit. All replicas share the table.
 */
export async function countAttempt(tables: Kysely<Tables>, subject: Subject): Promise<void> {
  const begun = new Date()
  const over = new Date(begun.getTime() - WINDOW_MS)
  const { attempts, window_begun } = await tables
    .insertInto('sign_in_attempts')
    .values({ subject, attempts: 1, window_begun: begun })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((eb) => {
        const isOver = eb('sign_in_attempts.window_begun', '<=', over)
        return {
          attempts: eb
            .case()
            .when(isOver)
            .then(1)
            .else(eb('sign_in_attempts.attempts', '+', 1))
            .end(),
          window_begun: eb.case().when(isOver).then(begun).else(eb.ref('sign_in_attempts.window_begun')).end(),
        }
      }),
    )
    .returning(['attempts', 'window_begun'])
    .executeTakeFirstOrThrow()
  const kind = subject.slice(0, subject.indexOf(':')) as keyof typeof MAX
  if (attempts <= MAX[kind]) return
  const seconds = Math.max(1, Math.ceil((window_begun.getTime() + WINDOW_MS - begun.getTime()) / 1000))
  throw failures.tooMany('too many attempts to sign in: try again later', seconds)
}

/** After a successful attempt, reset the count of its account and take the attempt off its address. */
export async function forgetAttempts(
  tables: Kysely<Tables>,
  own: Subject,
  address: Subject | undefined,
): Promise<void> {
  await tables.deleteFrom('sign_in_attempts').where('subject', '=', own).execute()
  if (address === undefined) return
  await tables
    .updateTable('sign_in_attempts')
    .set((eb) => ({ attempts: eb('attempts', '-', 1) }))
    .where('subject', '=', address)
    .where('attempts', '>', 0)
    .execute()
}
