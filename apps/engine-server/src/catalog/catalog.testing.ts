import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { RulesetAdmission } from './admission.ts'
import { createCatalog, type RulesetCatalog } from './catalog.ts'

/** A catalog that verifies no signatures. */
export function sampleCatalog(store: Store = createMemoryStore()): RulesetCatalog {
  const signatures = { admit: async (document: Parameters<RulesetAdmission['check']>[0]) => document }
  return createCatalog(store, new RulesetAdmission(signatures, { executionTimeoutMs: 0, tenant: undefined }))
}
