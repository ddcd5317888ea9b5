import { readDecisionRecord } from '@engine/analysis'
import { DecisionSample, MASKED_PLACES_OF_CALL, RecordingReport, type RecordingRules } from '@engine/api'
import { type Mask, masked, maskAt, maskOf, type ObjectValue, stringifyJson } from '@engine/expression'
import { shapeFaults } from '@engine/http-api'
import { createPauses, jsonText, parsedJson } from '@engine/process'
import type { Insertable } from 'kysely'
import { randomUUIDv7 } from 'node:crypto'
import type { Static } from 'typebox'
import { inBatches } from '../../database/batches.ts'
import type { Database } from '../../database/database.ts'
import type { OrgTables } from '../../database/tables.ts'
import type { EngineRecording, RecordingEngine } from '../engines/recording.ts'
import { type RecordedRuleset, recordedRulesets, rulesFor } from './rules.ts'

/** Maximum number of characters of one decision. */
const MAX_BYTES = 512 * 1024

/** Stores the decisions that engines have sampled, and gives engines their sampling rules. */
export function createEngineRecording(database: Database): EngineRecording {
  return {
    async take(engine, session, report) {
      const told = reportIn(report)
      if (told === undefined || told.decisions.length === 0) return
      await database.note(engine.org_id, async ({ scope }) => {
        const rows = await rowsOf(engine, session, told.decisions, await recordedRulesets(scope, engine))
        for (const some of inBatches(rows))
          await scope
            .insert('recorded_decisions', some)
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

/** Undefined if the engine samples no decisions, or its report is malformed. */
const reportIn = (report: unknown): Static<typeof RecordingReport> | undefined =>
  report === undefined || shapeFaults(RecordingReport, report).length > 0
    ? undefined
    : (report as Static<typeof RecordingReport>)

/**
 * Converts samples to rows: only rulesets that are recorded now, masked again, since the mask may have been extended
 * meanwhile. Malformed rows come from another program and are dropped. Works in pieces between other requests.
 */
async function rowsOf(
  engine: RecordingEngine,
  session: string,
  decisions: readonly unknown[],
  recorded: readonly RecordedRuleset[],
) {
  const known = new Map(recorded.map((one) => [`${one.tenant ?? ''}/${one.name}`, { ...one, mask: maskOf(one.mask) }]))
  const now = new Date()
  const paused = createPauses()
  const rows: NewDecision[] = []
  for (const decision of decisions) {
    await paused()
    if (!isSample(decision)) continue
    const { seq, at, tenant, name, digest, code = null, violations } = decision
    if ((code === null) !== (violations !== undefined)) continue
    const of = known.get(`${tenant ?? ''}/${name}`)
    if (of === undefined) continue
    const input = await maskedText(decision.input, of.mask)
    const output = await maskedText(decision.output, of.mask)
    if (input === undefined || output === undefined) continue
    rows.push({
      id: randomUUIDv7(),
      project_id: of.project,
      environment_id: of.environment,
      ruleset_name: of.ruleset,
      digest,
      // A fast clock must not date a decision in the future.
      at: new Date(Math.min(Date.parse(at), now.getTime())),
      code,
      violations: violations === undefined ? null : stringifyJson(violations.map((one) => ({ ...one }))),
      input,
      output,
      server_id: engine.id,
      session,
      seq,
      receipt: decision.receipt ?? null,
      calls: of.answers && decision.calls !== undefined ? await callsText(decision.calls, of.mask) : null,
      created_at: now,
    })
  }
  return rows
}

type NewDecision = Omit<Insertable<OrgTables['recorded_decisions']>, 'org_id'>

/** The validated parts of external calls, as JSON text. Null if the text has no list of calls. */
async function callsText(text: string, mask: Mask): Promise<string | null> {
  const parsed = await parsedJson(text, { duplicateKeys: 'last' })
  const record = parsed.kind === 'parsed' ? readDecisionRecord({ input: {}, calls: parsed.value }) : undefined
  if (typeof record !== 'object' || record.calls === undefined) return null
  const calls = record.calls.map(({ service, method, parameters, answer }): ObjectValue => ({
    service,
    method,
    parameters,
    ...(answer === undefined
      ? { error: 'failed' }
      : { answer: { payload: answer['payload'] ?? null, metadata: answer['metadata'] ?? {} } }),
  }))
  const copy = masked(calls, maskAt(MASKED_PLACES_OF_CALL, mask), MAX_BYTES)
  return copy === undefined ? null : jsonText(copy.value)
}

/** Undefined if the text is not JSON, is too large, or is nested too deeply. */
async function maskedText(text: string, mask: Mask): Promise<string | undefined> {
  const parsed = await parsedJson(text, { duplicateKeys: 'last' })
  const copy = parsed.kind === 'parsed' ? masked(parsed.value, mask, MAX_BYTES) : undefined
  return copy && jsonText(copy.value)
}

const isSample = (row: unknown): row is DecisionSample => shapeFaults(DecisionSample, row).length === 0
