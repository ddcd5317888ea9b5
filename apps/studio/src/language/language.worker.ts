import { loadPatterns } from './patterns.ts'
import { loadEdits, perform } from './task-runner.ts'
import type { LanguageName } from './tasks.ts'
import { serveTasks } from './worker-loop.ts'

serveTasks<LanguageName>(perform, () => {
  // Preloaded after the first answer, so that the worker then works offline. A failed import is retried on next use.
  loadPatterns().catch(() => undefined)
  loadEdits().catch(() => undefined)
})
