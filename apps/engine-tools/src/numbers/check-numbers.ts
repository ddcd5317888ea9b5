import { type Case, type CaseHost, runCase } from '@engine/authoring'
import { isObject, makeFunction, NO_SPAN, parseJson, stringifyJson, type Value } from '@engine/expression'
import { endingOf, positionsInJson, readRuleFile, yamlToJson } from '@engine/rule-file'
import type { Ruleset, RulesetDocument } from '@engine/ruleset'
import { SIGNATURE_FIELD } from '@engine/signing'
import { existsSync } from 'node:fs'
import { BadCases, parseCases } from '../check/cases.ts'
import { casesPath, rulesetsInFolderOf } from '../check/rule-files.ts'
import { contentOf, decodeRuleFile, replaceFile, verifiedRuleFile } from '../files.ts'
import { partsOf } from '../migrate/expressions.ts'
import { placed, type Problem } from '../problem.ts'
import { readRecords } from '../records.ts'
import { ToolError, withFile } from '../tool.ts'
import { doublePlaces } from './double-places.ts'

/** A place of a ruleset where a fraction is computed with doubles. */
export interface PlacedComputation {
  /** JSON pointer into the document. */
  readonly path: string
  /** One-based, in the text of a JSON file. */
  readonly line?: number
  readonly column?: number
  /** The whole expression, and the part that computes. */
  readonly expression: string
  readonly part: string
  readonly why: string
}

/** An input that is decided differently with decimals. */
export interface ChangedDecision {
  /** The name of the case, or the line of the recordings. */
  readonly source: string
  readonly double: string
  readonly decimal: string
}

/** The effects of a move from doubles to decimals on a rule file. */
export interface NumbersReport {
  readonly file: string
  readonly numbers: 'double' | 'decimal'
  readonly places: readonly PlacedComputation[]
  /** Why an engine would refuse the ruleset with decimals; empty: it would take it. */
  readonly problems: readonly Problem[]
  /** Warnings that only the ruleset with decimals has. */
  readonly warnings: readonly Problem[]
  /** Cases and recorded decisions that were decided both ways. */
  readonly decided: number
  readonly changed: readonly ChangedDecision[]
  /** Cases that pass now. */
  readonly passing: number
  /** Cases that pass now and would fail with decimals, by name. */
  readonly broken: readonly string[]
  readonly written: boolean
  /** The file had a signature, which the move ends. */
  readonly signed: boolean
}

interface CheckNumbersOptions {
  /** A file of recorded decisions, one JSON object a line. */
  readonly recordings: string | undefined
  /** Set `config.numbers` to `decimal` in the file. */
  readonly write: boolean
}

/** Find where a ruleset computes fractions with doubles, and decide its cases and recordings both ways. Throws `ToolError`. */
export async function checkNumbers(path: string, { recordings, write }: CheckNumbersOptions): Promise<NumbersReport> {
  const source = await readSource(path)
  const { document, ruleset, text } = source
  const { numbers } = ruleset.config
  const signed = Object.hasOwn(document, SIGNATURE_FIELD)
  const report = { file: path, numbers, signed, ...UNCHANGED }
  if (numbers === 'decimal') return { ...report, signed: false }
  const places = placesIn(document, ruleset, text)
  const moved = decodeRuleFile({ document: source.moved, text: undefined })
  const known = new Set(source.warnings.map(({ path: place, message }) => `${place} ${message}`))
  const warnings = moved.warnings.filter(({ path: place, message }) => !known.has(`${place} ${message}`))
  if (moved.ruleset === undefined) return { ...report, places, problems: moved.problems }
  const compared = await compare(path, ruleset, moved.ruleset, recordings)
  if (write) {
    const { original, ending } = source
    await replaceFile(path, verifiedRuleFile(path, ending, source.moved, original))
  }
  return { ...report, ...compared, places, warnings, written: write }
}

const UNCHANGED = {
  places: [],
  problems: [],
  warnings: [],
  decided: 0,
  changed: [],
  passing: 0,
  broken: [],
  written: false,
}

/** A rule file with its ruleset, and its document with decimals. */
async function readSource(path: string) {
  const ending = endingOf(path)
  if (ending === undefined || ending === '.engine')
    throw new ToolError(`${path}: expected a rule file in JSON or YAML: a compiled file is made again from its source`)
  const original = await contentOf(path)
  const read = readRuleFile(path, original)
  const { ruleset, problems, warnings } = decodeRuleFile(read)
  if ('reason' in read || ruleset === undefined || !isObject(read.document))
    throw new ToolError(problems.map((problem) => placed(path, problem)).join('\n'))
  const { document } = read
  return { ending, original, document, text: read.text, ruleset, warnings, moved: movedDocument(original, ending) }
}

/** The document with `config.numbers` as `decimal`, without a signature. Its numbers have all digits of the text. */
function movedDocument(bytes: Buffer, ending: '.json' | '.yaml' | '.yml'): RulesetDocument {
  const text = bytes.toString('utf8')
  const converted = ending === '.json' ? { json: text } : yamlToJson(text)
  const parsed =
    'json' in converted ? parseJson(converted.json, { duplicateKeys: 'refuse', numbers: 'decimal' }) : undefined
  // The file was read before: it is an object with a `config`.
  if (parsed?.kind !== 'parsed' || !isObject(parsed.value)) throw new ToolError('the file changed while it was read')
  const { [SIGNATURE_FIELD]: _, ...document } = parsed.value
  const { config } = document
  if (!isObject(config)) throw new ToolError('the file changed while it was read')
  return { ...document, config: { ...config, numbers: 'decimal' } }
}

function placesIn(document: Value, ruleset: Ruleset, text: string | undefined): readonly PlacedComputation[] {
  const types = new Map(ruleset.config.contract?.fields.map(({ name, type }) => [name, type]))
  const places = partsOf(document).expressions.flatMap((placedExpression) =>
    doublePlaces(placedExpression, types).map(({ node, why }): PlacedComputation => {
      const { path, text: expression } = placedExpression
      const { span } = node
      return { path, expression, part: span === NO_SPAN ? expression : expression.slice(span.start, span.end), why }
    }),
  )
  if (text === undefined) return places
  const positions = positionsInJson(text, places)
  return places.map((place, index) => ({ ...place, ...positions[index] }))
}

/** Decide the cases of a rule file, and recorded inputs, by both rulesets. */
async function compare(path: string, double: Ruleset, decimal: Ruleset, recordings: string | undefined) {
  const cases = await casesOf(path)
  const records = recordings === undefined ? [] : await readRecords(recordings, 'decimal')
  const recorded = records.map(({ input, now }, index): Case => ({
    name: `record ${index + 1}`,
    input,
    expect: {},
    ...(now === undefined ? {} : { now: new Date(now).toISOString() }),
  }))
  const host = await hostFor(path)
  const changed: ChangedDecision[] = []
  const broken: string[] = []
  let passing = 0
  for (const [index, one] of [...cases, ...recorded].entries()) {
    const [before, after] = [await runCase(double, one, host), await runCase(decimal, one, host)]
    const [left, right] = [decisionText(before.inspection), decisionText(after.inspection)]
    if (left !== right) changed.push({ source: one.name, double: left, decimal: right })
    if (index >= cases.length || before.failures.length > 0) continue
    passing++
    if (after.failures.length > 0) broken.push(one.name)
  }
  return { decided: cases.length + recorded.length, changed, passing, broken }
}

/** Rulesets in the folder of the file answer `call_ruleset`. Both runs of an input have the same time. */
async function hostFor(path: string): Promise<CaseHost> {
  const calls = (await contentOf(path)).includes('call_ruleset')
  const rulesets = calls ? await rulesetsInFolderOf(path) : new Map<string, Ruleset>()
  const now = Date.now()
  return { now: () => now, monotonic: () => performance.now(), makeFunction, rulesets }
}

async function casesOf(path: string): Promise<readonly Case[]> {
  const file = casesPath(path)
  if (!existsSync(file)) return []
  const text = (await contentOf(file)).toString('utf8')
  return withFile(file, [BadCases], () => parseCases(text))
}

/** A decision or a failure in one line. */
function decisionText({ result, error }: Awaited<ReturnType<typeof runCase>>['inspection']): string {
  if (result === undefined) return `an error: ${error?.message ?? 'none'}`
  const { code, message, output } = result
  return stringifyJson({ code, message, output })
}
