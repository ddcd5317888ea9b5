import { fromCloneable, toCloneable } from '@engine/expression'
import { errorOf } from '../api/errors.ts'
import { arrivedLate } from './patterns.ts'
import type { Message, Reply, TaskName, Tasks } from './tasks.ts'

/** The functions with which a worker performs its tasks. */
export type Performers<Names extends TaskName> = {
  readonly [Name in Names]: (takes: Tasks[Name]['takes']) => Tasks[Name]['gives'] | Promise<Tasks[Name]['gives']>
}

/** The global scope of a worker, which the DOM types lack. */
const scope = globalThis as unknown as {
  postMessage(reply: Reply): void
  addEventListener<Names extends TaskName>(
    type: 'message',
    listener: (event: { readonly data: Message<Names> }) => void,
  ): void
}

/** Perform a task, and repeat it if it reached a regular expression before that library was loaded. */
export async function performed<Result>(done: () => Promise<Result>): Promise<Result> {
  const [first] = await Promise.allSettled([done()])
  if (await arrivedLate()) return done()
  if (first.status === 'rejected') throw first.reason
  return first.value
}

/**
 * Handle messages from the page.
 *
 * @param perform performs one task
 * @param prepare is called after the first answer
 */
export function serveTasks<Names extends TaskName>(
  perform: (name: Names, takes: Tasks[Names]['takes']) => Promise<unknown>,
  prepare: () => void,
): void {
  /** The last draft that was received. */
  let held: Message['draft']
  let isNew = true
  scope.addEventListener<Names>('message', ({ data }) => {
    const { id, name, takes, draft } = fromCloneable(data)
    if (draft !== 'same') held = draft ?? held
    perform(name, draft === undefined ? takes : ({ ...(takes as object), draft: held } as typeof takes))
      .then(
        (gives) => scope.postMessage({ id, kind: 'done', gives: toCloneable(gives) }),
        (error: unknown) => scope.postMessage({ id, kind: 'failed', message: errorOf(error).message }),
      )
      .finally(() => {
        if (!isNew) return
        isNew = false
        prepare()
      })
  })
}
