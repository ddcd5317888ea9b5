import { analyses } from './findings.ts'
import { loadPatterns } from './patterns.ts'
import type { AnalysisName } from './tasks.ts'
import { performed, serveTasks } from './worker-loop.ts'

serveTasks<AnalysisName>(
  (name, takes) => performed(async () => analyses(name, takes)),
  () => void loadPatterns().catch(() => undefined),
)
