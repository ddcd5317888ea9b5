import { parentPort } from 'node:worker_threads'
import { answerOf, type AnalysisTask } from './tasks.ts'
import type { BEGUN as Begun, FromAnalysisThread } from './threads.ts'

const BEGUN: typeof Begun = 'begun'
const answer = (message: FromAnalysisThread) => parentPort?.postMessage(message)

// On a thread of `threads.ts`: one task after the other, each answered before the next is sent.
parentPort?.on('message', (task: AnalysisTask) => {
  answer(BEGUN)
  try {
    answer(answerOf(task))
  } catch (error) {
    answer({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
