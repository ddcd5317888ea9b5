import type { DraftConfig } from './model.ts'

/** Members of `config` by their names in the editor and in the engine. */
export const CONFIG: ReadonlyMap<keyof DraftConfig, string> = new Map([
  ['name', 'name'],
  ['version', 'version'],
  ['description', 'description'],
  ['enableTrace', 'enable_trace'],
  ['timeout', 'timeout_ms'],
  ['maxDepth', 'max_depth'],
  ['fieldMissing', 'field_missing'],
  ['defaults', 'defaults'],
  ['numbers', 'numbers'],
  ['metadata', 'metadata'],
  ['tenantId', 'tenant_id'],
])
