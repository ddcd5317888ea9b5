import {
  analyze,
  certify,
  claimsOfImpact,
  claimsOfReport,
  type Certified,
  type Claim,
  type DecisionRecord,
  generateCases,
  impact,
  measureSuite,
  type SuiteCase,
  verifyCertificate,
  whyNot,
} from '@engine/analysis'
import { isObject, nearest, parseJson, quote, stringifyJson } from '@engine/expression'
import type { Ruleset, RulesetDocument } from '@engine/ruleset'
import { type Command, InvalidArgumentError } from 'commander'
import { existsSync } from 'node:fs'
import { BadCases, parseCases } from '../check/cases.ts'
import type { CheckedFile } from '../check/checked-file.ts'
import { casesPath, findRuleFiles, rulesetsInFolderOf } from '../check/rule-files.ts'
import { contentOf } from '../files.ts'
import { readRecords } from '../records.ts'
import { addFormat, addJson, printResult, type JsonFlag, writeReport } from '../output.ts'
import { placed } from '../problem.ts'
import { ToolError, withFile } from '../tool.ts'
import {
  type AnalyzedFile,
  exitCodeOf,
  findingJson,
  findingJunit,
  findingMarkdown,
  findingSarif,
  findingText,
  positionsOf,
} from './finding-report.ts'
import { counterfactualJson, counterfactualText } from './counterfactual-report.ts'
import { casesJson, casesMarkdown, casesText } from './cases-report.ts'
import {
  coverageExitCode,
  coverageJson,
  coverageJunit,
  coverageMarkdown,
  coverageSarif,
  coverageText,
  type Measure,
  MEASURES,
  type Requirement,
} from './coverage-report.ts'
import { impactExitCode, impactJson, impactJunit, impactMarkdown, impactSarif, impactText } from './impact-report.ts'

const FINDINGS = {
  text: findingText,
  json: findingJson,
  sarif: findingSarif,
  junit: findingJunit,
  markdown: findingMarkdown,
} as const

const IMPACTS = {
  text: impactText,
  json: impactJson,
  sarif: impactSarif,
  junit: impactJunit,
  markdown: impactMarkdown,
} as const

const COVERAGES = {
  text: coverageText,
  json: coverageJson,
  sarif: coverageSarif,
  junit: coverageJunit,
  markdown: coverageMarkdown,
} as const

const CASES = { json: casesJson, text: casesText, markdown: casesMarkdown } as const

const EXIT_CODES =
  '\nExit codes: 0 clean, 1 findings, a gate that is not met or a file that is no ruleset, 2 called wrongly, 3 something is unknown (--strict).'

interface AnalyzeFlags {
  readonly format: keyof typeof FINDINGS
  readonly strict?: boolean
  readonly certificate?: string
}

const ANSWERS = { text: counterfactualText, json: counterfactualJson } as const

interface WhyFlags {
  readonly input: string
  readonly code: string
  readonly changeable?: readonly string[]
  readonly format: keyof typeof ANSWERS
}

interface ImpactFlags {
  readonly format: keyof typeof IMPACTS
  readonly strict?: boolean
  readonly records?: string
  readonly cases?: string
  readonly forbid?: readonly { readonly from: string; readonly to: string }[]
  readonly maxChanged?: number
  readonly certificate?: string
}

/** `engine analyze` */
export function defineAnalyze(command: Command): void {
  addFormat(command, FINDINGS)
    .argument('<paths...>', 'rule files, or folders with rule files')
    .option('--strict', 'exit with 3 when something is unknown')
    .option('--certificate <file>', 'write a certificate of what is proved, for one rule file')
    .addHelpText('after', `${EXIT_CODES}\nThe cases of a rule file are the initial inputs of the search.`)
    .action(async (paths: readonly string[], { format, strict = false, certificate }: AnalyzeFlags) => {
      const { files } = await findRuleFiles(paths)
      if (files.length === 0) throw new ToolError('there are no rule files here')
      if (certificate !== undefined && files.length > 1) command.error('error: --certificate is about one rule file')
      const analyzed: AnalyzedFile[] = []
      const named = new Map(
        files.flatMap(({ ruleset }) => (ruleset === undefined ? [] : [[ruleset.config.name, ruleset]])),
      )
      for (const { path, ruleset, problems, text } of files) {
        const report =
          ruleset && analyze(ruleset, { seeds: await inputsBeside(path), callees: await calleesOf(path, named) })
        analyzed.push({ file: path, problems, report, positions: positionsOf(text, report?.findings ?? []) })
      }
      const [report] = analyzed.map((one) => one.report)
      if (certificate !== undefined && report !== undefined)
        await writeCertificate(certificate, certify(files.map(documentOf), claimsOfReport(report)))
      await writeReport(FINDINGS[format](analyzed), undefined)
      process.exitCode = exitCodeOf(analyzed, strict)
    })
}

/** `engine impact` */
export function defineImpact(command: Command): void {
  addFormat(command, IMPACTS)
    .argument('<old>', 'the rule file before')
    .argument('<new>', 'the rule file after')
    .option('--records <file>', 'recorded decisions to make again: lines of JSON {input, code?, now?}')
    .option('--cases <file>', 'inputs to begin with')
    .option(
      '--forbid <transition>',
      'a change of code that must be proved absent, "DENY->ALLOW"; several times',
      transition,
    )
    .option('--max-changed <percent>', 'the largest share of the records that may change', percent)
    .option('--strict', 'exit with 3 when something is unknown')
    .option('--certificate <file>', 'write a certificate of what is proved')
    .addHelpText('after', `${EXIT_CODES}\nWithout gates (--forbid, --max-changed) a difference is no failure.`)
    .action(async (before: string, after: string, flags: ImpactFlags) => {
      const { format, strict = false, records, cases, forbid, maxChanged, certificate } = flags
      if (maxChanged !== undefined && records === undefined)
        command.error('error: --max-changed needs --records: it is a share of them')
      const [old, young] = [await ruleFileIn(before), await ruleFileIn(after)]
      const found = impact(old.ruleset, young.ruleset, {
        seeds: cases === undefined ? await inputsBeside(before) : await inputsIn(cases),
        callees: await calleesOf(after),
        ...(records === undefined ? {} : { records: await readRecords(records) }),
        ...(forbid === undefined ? {} : { forbid }),
        ...(maxChanged === undefined ? {} : { maxChanged }),
      })
      if (certificate !== undefined)
        await writeCertificate(certificate, certify([old.document, young.document], claimsOfImpact(found)))
      await writeReport(IMPACTS[format](found, after), undefined)
      process.exitCode = impactExitCode(found, strict)
    })
}

/** `engine why` */
export function defineWhy(command: Command): void {
  addFormat(command, ANSWERS)
    .argument('<file>', 'a rule file')
    .requiredOption('--input <file>', 'the input, as JSON')
    .requiredOption('--code <code>', 'the result code that is wished for')
    .option('--changeable <paths>', 'fields that may change, separated by commas (default: all)', (text) =>
      text.split(','),
    )
    .addHelpText('after', '\nExit codes: 0 found, 1 no change gives the code, 2 called wrongly, 3 unknown.')
    .action(async (path: string, { input: file, code, changeable, format }: WhyFlags) => {
      const input = parseJson((await contentOf(file)).toString('utf8'), { duplicateKeys: 'refuse' })
      if (input.kind === 'failed') throw new ToolError(`${file}: ${input.problem.message}`)
      if (!isObject(input.value)) throw new ToolError(`${file}: an input is an object`)
      const { ruleset } = await ruleFileIn(path)
      const codes = [...ruleset.steps.values()].flatMap((step) => (step.type === 'terminal' ? [step.code] : []))
      if (!codes.includes(code)) command.error(`error: ${path} has no result ${quote(code)}${hint(code, codes)}`)
      const found = whyNot(ruleset, input.value, {
        code,
        callees: await calleesOf(path),
        ...(changeable === undefined ? {} : { changeable }),
      })
      await writeReport(ANSWERS[format](found), undefined)
      process.exitCode = { found: 0, impossible: 1, unknown: 3 }[found.verdict]
    })
}

function hint(code: string, codes: readonly string[]): string {
  const meant = nearest(code, codes)
  return meant === undefined
    ? `: its results are ${[...new Set(codes)].map((one) => quote(one)).join(', ')}`
    : `: did you mean ${quote(meant)}?`
}

/** `engine verify-certificate` */
export function defineVerifyCertificate(command: Command): void {
  addJson(command)
    .argument('<certificate>', 'a file that `analyze` or `impact` wrote')
    .argument('<rules...>', 'the rule file, or the old one and the new one')
    .addHelpText('after', '\nExit codes: 0 every claim is proved, 1 the certificate is refused, 2 called wrongly.')
    .action(async (path: string, rules: readonly string[], flags: JsonFlag) => {
      if (rules.length > 2) command.error('error: a certificate is about one rule file or two')
      const parsed = parseJson((await contentOf(path)).toString('utf8'), { duplicateKeys: 'refuse' })
      if (parsed.kind === 'failed') throw new ToolError(`${path}: ${parsed.problem.message}`)
      const documents = await Promise.all(rules.map(async (file) => (await ruleFileIn(file)).document))
      const found = verifyCertificate(parsed.value, documents)
      if (typeof found === 'string') throw new ToolError(`${path}: refused: ${found}`)
      printResult(flags, { claims: found }, found.map((claim) => `proved: ${claimText(claim)}`).join('\n'))
    })
}

/** `engine cases` */
export function defineCases(command: Command): void {
  addFormat(command, CASES, 'json')
    .argument('<file>', 'a rule file')
    .action(async (path: string, { format }: { readonly format: keyof typeof CASES }) => {
      const cases = generateCases((await ruleFileIn(path)).ruleset, {
        seeds: await inputsBeside(path),
        callees: await calleesOf(path),
      })
      await writeReport(CASES[format](cases), undefined)
    })
}

interface CoverageFlags {
  readonly format: keyof typeof COVERAGES
  readonly cases?: string
  readonly require?: readonly Requirement[]
  readonly strict?: boolean
}

/** `engine coverage` */
export function defineCoverage(command: Command): void {
  addFormat(command, COVERAGES)
    .argument('<file>', 'a rule file')
    .option('--cases <file>', 'the suite (default: the file of cases of the rule file)')
    .option('--require <share>', `a share that must be reached, such as "branches=100%"; several times`, requirement)
    .option('--strict', 'exit with 3 when not all mutants were tried')
    .addHelpText(
      'after',
      `\nMeasures: ${MEASURES.join(', ')}.\nExit codes: 0 every required share is reached, 1 one is not, 2 called wrongly, 3 not all mutants were tried (--strict).`,
    )
    .action(async (path: string, { format, cases, require: requirements = [], strict }: CoverageFlags) => {
      const file = cases ?? casesPath(path)
      if (!existsSync(file)) throw new ToolError(`${file}: there is no such file of cases`)
      const callees = await calleesOf(path)
      const measures = measureSuite((await ruleFileIn(path)).ruleset, await casesIn(file), { callees })
      const measured = { file: path, measures, requirements }
      await writeReport(COVERAGES[format](measured), undefined)
      process.exitCode = coverageExitCode(measured) || (strict === true && measures.mutants.truncated ? 3 : 0)
    })
}

async function ruleFileIn(path: string): Promise<{ readonly ruleset: Ruleset; readonly document: RulesetDocument }> {
  const { files } = await findRuleFiles([path])
  const [file, ...others] = files
  if (file === undefined || others.length > 0) throw new ToolError(`${path}: must be one rule file`)
  if (file.ruleset === undefined) throw new ToolError(file.problems.map((problem) => placed(path, problem)).join('\n'))
  return { ruleset: file.ruleset, document: documentOf(file) }
}

/** The document of a file that was decoded, which is an object. */
function documentOf({ path, document }: CheckedFile): RulesetDocument {
  if (!isObject(document)) throw new ToolError(`${path}: not a ruleset`)
  return document
}

/** Writes a certificate, and the proved claims without a proof to standard error. */
async function writeCertificate(file: string, { certificate, uncertified }: Certified): Promise<void> {
  await writeReport(`${stringifyJson(certificate)}\n`, file)
  for (const { claim, reason } of uncertified)
    process.stderr.write(`proved, uncertified: ${claimText(claim)}: ${reason}\n`)
}

function claimText(claim: Claim): string {
  if ('place' in claim) return `${claim.kind} ${claim.place}`
  if (claim.kind === 'unreachable_code') return `${claim.kind} ${quote(claim.code)}`
  return claim.kind === 'forbid' ? `${claim.from}->${claim.to}` : claim.kind
}

/** The rulesets that `call_ruleset` finds: those of the same folder, and of the other files that are analysed. */
async function calleesOf(path: string, others: ReadonlyMap<string, Ruleset> = new Map()) {
  return new Map([...others, ...(await rulesetsInFolderOf(path))])
}

async function inputsBeside(path: string): Promise<readonly DecisionRecord['input'][]> {
  const file = casesPath(path)
  return existsSync(file) ? inputsIn(file) : []
}

async function inputsIn(file: string): Promise<readonly DecisionRecord['input'][]> {
  return (await casesIn(file)).map(({ input }) => input)
}

/** The cases of a file whose input is an object. */
async function casesIn(file: string): Promise<readonly SuiteCase[]> {
  const text = (await contentOf(file)).toString('utf8')
  return withFile(file, [BadCases], () => parseCases(text)).flatMap(({ input, now, stubs }) =>
    isObject(input)
      ? [{ input, ...(now !== undefined && { now: Date.parse(now) }), ...(stubs !== undefined && { stubs }) }]
      : [],
  )
}

function requirement(text: string, before: readonly Requirement[] = []): readonly Requirement[] {
  const [measure = '', share = '', ...rest] = text.split('=')
  if (!MEASURES.includes(measure as Measure) || rest.length > 0)
    throw new InvalidArgumentError(`Not a share of one of ${MEASURES.join(', ')}, such as "branches=100%".`)
  return [...before, { measure: measure as Measure, share: percent(share) }]
}

function transition(text: string, before: ImpactFlags['forbid']): NonNullable<ImpactFlags['forbid']> {
  const [from = '', to = '', ...rest] = text.split('->').map((part) => part.trim())
  if (from === '' || to === '' || rest.length > 0)
    throw new InvalidArgumentError('Not a change of code such as "DENY->ALLOW"; `*` is any code.')
  return [...(before ?? []), { from, to }]
}

function percent(text: string): number {
  const value = Number(text.replace(/%$/, ''))
  if (text.trim() === '' || !(value >= 0 && value <= 100))
    throw new InvalidArgumentError('Not a share from 0% to 100%.')
  return value / 100
}
