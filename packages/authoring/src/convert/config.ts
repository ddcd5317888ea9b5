import type { Value } from '@engine/expression'
import { CONFIG } from '../draft/config.ts'
import type { DraftConfig, DraftRuleset } from '../draft/model.ts'
import { below } from '../place.ts'
import { messages, type Report } from '../problem.ts'
import { joinedDefaults } from './defaults.ts'

/**
 * The engine's `config` without its contract. Contract defaults become ruleset defaults, because rulesets that carry no
 * contract have them too.
 *
 * @param declared by canonical path
 */
export function engineConfig(
  report: Report,
  { config, startStepId }: DraftRuleset,
  templates: boolean,
  declared: ReadonlyMap<string, Value>,
): { readonly [member: string]: Value } {
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

/** The config members changed by contract defaults; the draft's own defaults take precedence. */
function withDefaults(report: Report, config: DraftConfig, declared: ReadonlyMap<string, Value>) {
  if (declared.size === 0) return {}
  const { fieldMissing = 'lenient', defaults: own = {} } = config
  const defaults = joinedDefaults(config, declared)
  if (defaults === undefined) {
    report.warn(below(undefined, 'config', 'fieldMissing'), messages.defaultsWithoutEffect(fieldMissing))
    return {}
  }
  if (fieldMissing !== 'default' && Object.keys(own).length > 0)
    report.warn(below(undefined, 'config', 'defaults'), messages.unusedDefaults(fieldMissing))
  return { field_missing: 'default', defaults }
}
