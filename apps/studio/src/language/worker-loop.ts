import { fromCloneable, toCloneable } from '@engine/expression'
import { errorOf } from '../api/errors.ts'
import { arrivedLate } from './patterns.ts'
import type { Message, Reply, TaskName, Tasks } from './tasks.ts'

/** How a worker performs its tasks. */
export type Performers<Names extends TaskName> = {
  readonly [Name in Names]: (takes: Tasks[Name]['takes']) => Tasks[Name]['gives'] | Promise<Tasks[Name]['gives']>
}

/** The global of a worker, which the types of pages lack. */
const scope = globalThis as unknown as {
  postMessage(reply: Reply): void
  addEventListener<Names extends TaskName>(
    type: 'message',
    listener: (event: { readonly data: Message<Names> }) => void,
  ): void
}

/** Perform a task, again if it reached a regular expression before the library of those had arrived. */
export async function performed<Result>(done: () => Promise<Result>): Promise<Result> {
  const [first] = await Promise.allSettled([done()])
  if (await arrivedLate()) return done()
  if (first.status === 'rejected') throw first.reason
  return first.value
}

/**
 * Answer the messages of the page.
 *
 * @param perform performs one task
 * @param prepare is called after the first answer
 */
export function serveTasks<Names extends TaskName>(
  perform: (name: Names, takes: Tasks[Names]['takes']) => Promise<unknown>,
  prepare: () => void,
): void {
  /** The draft of the last task with one. */
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
