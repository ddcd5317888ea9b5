import { fromCloneable, toCloneable } from '@engine/expression'
import { loadPatterns } from './patterns.ts'
import { loadEdits, perform } from './task-runner.ts'
import type { Message, Reply } from './tasks.ts'
import { errorOf } from '../api/thrown-error.ts'

/** The global of a worker, which the types of pages lack. */
const scope = globalThis as unknown as {
  postMessage(reply: Reply): void
  addEventListener(type: 'message', listener: (event: { readonly data: Message }) => void): void
}

/** The draft of the last task with one. */
let held: Message['draft']
let isNew = true

scope.addEventListener('message', ({ data }) => {
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
      // After the first answer: from then on the worker needs no network. A failure here is retried at the next use.
      loadPatterns().catch(() => undefined)
      loadEdits().catch(() => undefined)
    })
})
