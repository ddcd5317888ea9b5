import { loadPatterns } from './patterns.ts'
import { perform } from './task-runner.ts'
import type { Message, Reply } from './tasks.ts'

/** The global of a worker, of which the types of pages know nothing. */
const scope = globalThis as unknown as {
  postMessage(reply: Reply): void
  addEventListener(type: 'message', listener: (event: { readonly data: Message }) => void): void
}

/** The draft of the last task that had one. */
let held: Message['draft']
let isNew = true

scope.addEventListener('message', ({ data: { id, name, takes, draft } }) => {
  if (draft !== 'same') held = draft ?? held
  perform(name, draft === undefined ? takes : ({ ...(takes as object), draft: held } as typeof takes))
    .then(
      (gives) => scope.postMessage({ id, kind: 'done', gives }),
      (error: unknown) => scope.postMessage({ id, kind: 'failed', message: (error as Error).message }),
    )
    .finally(() => {
      if (!isNew) return
      isNew = false
      // After the first answer: then a cut network takes nothing away. What fails here is asked for again where it is needed.
      loadPatterns().catch(() => undefined)
    })
})
