import type { Value } from '@engine/expression'
import { CONFIG } from '../draft/config.ts'
import type { DraftConfig, DraftRuleset } from '../draft/model.ts'
import { below, fieldPath } from '../engine/scope.ts'
import { messages, type Report } from '../problem.ts'

/**
 * The engine's `config`. Defaults of the contract are defaults of the ruleset, so that an engine, which has no contracts, decides
 * an input without such a field by its default.
 *
 * @param declared by canonical path
 */
export function engineConfig(
  report: Report,
  { config, startStepId }: DraftRuleset,
  templates: boolean,
  declared: ReadonlyMap<string, Value>,
): Value {
  const members = [...CONFIG].flatMap(([key, name]) => {
    const value = config[key]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(members),
    ...withDefaults(report, config, declared),
    entry_step: startStepId ?? '',
    ...(templates && { message_templates: true }),
  }
}

/** The members that defaults of a contract change; a default of the draft itself wins. */
function withDefaults(report: Report, config: DraftConfig, declared: ReadonlyMap<string, Value>) {
  if (declared.size === 0) return {}
  const { fieldMissing = 'lenient', defaults: own = {} } = config
  if (fieldMissing !== 'default' && fieldMissing !== 'lenient') {
    report.warn(below(undefined, 'config', 'fieldMissing'), messages.defaultsWithoutEffect(fieldMissing))
    return {}
  }
  const isOwn = fieldMissing === 'default'
  if (!isOwn && Object.keys(own).length > 0)
    report.warn(below(undefined, 'config', 'defaults'), messages.unusedDefaults(fieldMissing))
  const kept = isOwn ? own : {}
  const paths = new Set(Object.keys(kept).map((path) => fieldPath(path)))
  const added = [...declared].filter(([path]) => !paths.has(path))
  return { field_missing: 'default', defaults: { ...Object.fromEntries(added), ...kept } }
}
