import { DecisionSample, RecordingReport, type RecordingRules } from '@engine/api'
import { type Mask, masked, maskOf, parseJson, stringifyJson } from '@engine/expression'
import { shapeFaults } from '@engine/http-api'
import { randomUUIDv7 } from 'node:crypto'
import type { Static } from 'typebox'
import type { Database } from '../../database/database.ts'
import type { EngineRecording, RecordingEngine } from '../engines/recording.ts'
import { type RecordedRuleset, recordedRulesets, rulesFor } from './rules.ts'

/** Characters of one decision. */
const LARGEST = 512 * 1024

/** Takes what engines have kept of decisions, and says what they are to keep. */
export function createEngineRecording(database: Database): EngineRecording {
  return {
    async take(engine, session, report) {
      const told = reportIn(report)
      if (told === undefined || told.decisions.length === 0) return
      await database.note(engine.org_id, async ({ scope }) => {
        const rows = rowsOf(engine, session, told.decisions, await recordedRulesets(scope, engine))
        if (rows.length === 0) return
        await scope
          .insert('recorded_decisions', rows)
          .onConflict((conflict) => conflict.columns(['org_id', 'server_id', 'session', 'seq']).doNothing())
          .execute()
      })
    },
    async changed(engine, report) {
      const told = reportIn(report)
      if (told === undefined) return undefined
      const rules: RecordingRules = rulesFor(await recordedRulesets(database.scope(engine.org_id), engine))
      return rules.tag === told.tag ? undefined : rules
    },
  }
}

/** Undefined: the engine samples no decisions, or it is of another program. */
const reportIn = (report: unknown): Static<typeof RecordingReport> | undefined =>
  report === undefined || shapeFaults(RecordingReport, report).length > 0
    ? undefined
    : (report as Static<typeof RecordingReport>)

/**
 * Samples as they are stored: those of rulesets that are recorded now, masked once more, since the mask may have grown while
 * they were on their way. Rows of another form are those of another program.
 */
function rowsOf(
  engine: RecordingEngine,
  session: string,
  decisions: readonly unknown[],
  recorded: readonly RecordedRuleset[],
) {
  const known = new Map(recorded.map((one) => [`${one.tenant ?? ''}/${one.name}`, { ...one, mask: maskOf(one.mask) }]))
  const now = new Date()
  return decisions.filter(isSample).flatMap(({ seq, at, tenant, name, digest, code, input, output }) => {
    const of = known.get(`${tenant ?? ''}/${name}`)
    const [shownInput, shownOutput] = [input, output].map((text) => of && maskedText(text, of.mask))
    if (of === undefined || shownInput === undefined || shownOutput === undefined) return []
    return {
      id: randomUUIDv7(),
      project_id: of.project,
      environment_id: of.environment,
      ruleset_name: of.ruleset,
      digest,
      // A clock that goes wrong puts nothing into the future.
      at: new Date(Math.min(Date.parse(at), now.getTime())),
      code,
      input: shownInput,
      output: shownOutput,
      server_id: engine.id,
      session,
      seq,
      created_at: now,
    }
  })
}

/** Undefined: it is no JSON, too large, or nested too deeply. */
function maskedText(text: string, mask: Mask): string | undefined {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  const copy = parsed.kind === 'parsed' ? masked(parsed.value, mask, LARGEST) : undefined
  return copy && stringifyJson(copy.value)
}

const isSample = (row: unknown): row is DecisionSample => shapeFaults(DecisionSample, row).length === 0
