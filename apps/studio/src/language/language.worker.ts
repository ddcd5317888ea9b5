import { loadPatterns } from './patterns.ts'
import { loadEdits, perform } from './task-runner.ts'
import type { LanguageName } from './tasks.ts'
import { serveTasks } from './worker-loop.ts'

serveTasks<LanguageName>(perform, () => {
  // After the first answer: from then on the worker needs no network. A failure here is retried at the next use.
  loadPatterns().catch(() => undefined)
  loadEdits().catch(() => undefined)
})
