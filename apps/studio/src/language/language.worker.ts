import { perform } from './perform.ts'
import type { Message, Reply } from './tasks.ts'

/** The global of a worker, of which the types of pages know nothing. */
const scope = globalThis as unknown as {
  postMessage(reply: Reply): void
  addEventListener(type: 'message', listener: (event: { readonly data: Message }) => void): void
}

scope.addEventListener('message', ({ data: { id, name, takes } }) => {
  perform(name, takes).then(
    (gives) => scope.postMessage({ id, kind: 'done', gives }),
    (error: unknown) => scope.postMessage({ id, kind: 'failed', message: (error as Error).message }),
  )
})
