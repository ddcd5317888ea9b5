import { nearest, quote } from '@engine/expression'
import { at, type Place } from '@engine/ruleset'
import { below } from '../place.ts'
import { messages, type Report } from '../problem.ts'
import type { ContractMode } from '../convert/contract-conversion.ts'
import type { ArchivedCase, ArchivedProject } from './archive.ts'
import type { ArchiveDocument } from './document.ts'

interface Named {
  readonly document: ArchiveDocument
  readonly name: string
  readonly ruleset: string
}

interface Referring {
  readonly rulesets: ReadonlySet<string>
  readonly suites: readonly (Named & { readonly content: { readonly cases: readonly ArchivedCase[] } })[]
  readonly inputs: readonly Named[]
}

/** Reports dangling references and duplicate names. */
export function checkReferences(
  { report }: ArchiveDocument,
  project: ArchivedProject,
  { rulesets: known, suites, inputs }: Referring,
): void {
  checkEnvironments(report, project)
  const checkRuleset = ({ document, ruleset }: Named, place: Place | undefined) => {
    if (!known.has(ruleset)) document.report.error(place, messages.unknownRuleset(ruleset, nearest(ruleset, known)))
  }
  for (const suite of suites) {
    checkRuleset(suite, at(undefined, 'ruleset'))
    refuseRepeated(suite.document.report, at(undefined, 'cases'), suite.content.cases)
  }
  for (const input of inputs) checkRuleset(input, undefined)
}

const MODES: ReadonlySet<string> = new Set(['off', 'warn', 'enforce'] satisfies ContractMode[])

function checkEnvironments(
  report: Report,
  { current_environment, contract_mode, environments }: ArchivedProject,
): void {
  if (contract_mode !== undefined && !MODES.has(contract_mode))
    report.error(at(undefined, 'contract_mode'), messages.wrongType('`off`, `warn` or `enforce`', quote(contract_mode)))
  const list = at(undefined, 'environments')
  refuseRepeated(report, list, environments)
  const names = new Set(environments.map(({ name }) => name))
  const check = (place: Place, name: string) => {
    if (!names.has(name)) report.error(place, messages.unknownEnvironment(name, nearest(name, names)))
  }
  check(at(undefined, 'current_environment'), current_environment)
  for (const [index, { canary }] of environments.entries()) {
    const target = canary?.['canary_target'] ?? null
    if (target === null) continue
    const place = below(list, index, 'canary', 'canary_target')
    if (typeof target === 'string') check(place, target)
    else report.error(place, messages.wrongType('the name of an environment', typeof target))
  }
}

function refuseRepeated(report: Report, list: Place, items: readonly { readonly name: string }[]): void {
  const names = new Set<string>()
  for (const [index, { name }] of items.entries()) {
    const place = below(list, index, 'name')
    if (name === '') report.error(place, messages.emptyName('the name'))
    else if (names.has(name)) report.error(place, messages.repeatedName(name))
    names.add(name)
  }
}
