import type { Value, ValueAllowance } from '@engine/expression'
import { at, type Fields, type Place, refuseName } from '@engine/ruleset'
import { conceptShape, decodeConcept, decodeContract, type Decoded, decodeFact } from '../contract/contract.ts'
import { parseVersion } from '../contract/version.ts'
import { decodeDraft } from '../draft/decode.ts'
import type { DraftRuleset } from '../draft/model.ts'
import { messages, Report } from '../problem.ts'
import { type Decode, object } from '../shape.ts'
import type { ArchiveFile, ArchivedSubRule, ProjectArchive, ReadArchive, YamlForm } from './archive.ts'
import type { ArchiveDocument } from './document.ts'
import { type Folder, type Item, type SortedFiles, sortFiles } from './folders.ts'
import { checkReferences } from './references.ts'
import { projectShape, subRuleShape, suiteShape } from './shape.ts'
import { FORMAT } from './write.ts'

/**
 * Reads all files of a project, with every problem at its position. Files outside the known folders belong to other
 * programs. Rulesets may be unfinished, like drafts; every reference must resolve. Linear in the size of the files.
 *
 * @param values charged for each value of the files. Default: unlimited
 */
export function readArchive(files: readonly ArchiveFile[], yaml: YamlForm, values?: ValueAllowance): ReadArchive {
  const sorted = sortFiles(files, yaml, values)
  const archive = archiveIn(sorted)
  const problems = sorted.documents.flatMap((document) => document.problems())
  const isWhole = archive !== undefined && problems.every(({ severity }) => severity !== 'error')
  return isWhole ? { archive, problems } : { problems }
}

const NAME = at(undefined, 'name')
const CONFIG_NAME = at(at(undefined, 'config'), 'name')
const nameOf = ({ name }: { readonly name: string }) => name

function archiveIn(files: SortedFiles): ProjectArchive | undefined {
  const project = projectIn(files.project)
  // Concepts refer to each other: collect all before checking one.
  const shapes = itemsIn(files, 'concepts', (value) => shaped(conceptShape, value))
  const known = new Map(shapes.map(({ content }) => [content.name, content.fields]))
  const rulesets = itemsIn(files, 'rulesets', draftIn)
  const subRules = itemsIn(files, 'sub-rules', subRuleIn)
  const contracts = itemsIn(files, 'contracts', (value) => decodeContract(value, known))
  const facts = itemsIn(files, 'facts', (value) => decodeFact(value, known))
  const concepts = itemsIn(files, 'concepts', (value) =>
    isConcept(value) ? decodeConcept(value, known) : { problems: [] },
  )
  const suites = itemsIn(files, 'tests', (value) => shaped(suiteShape, value))
  const inputs = itemsIn(files, 'inputs', (value) => shaped(object, value))
  holdToFileName(rulesets, CONFIG_NAME, ({ config }) => config.name)
  for (const items of [subRules, contracts, facts, concepts]) holdToFileName(items, NAME, nameOf)
  for (const { document, ruleset, content } of suites)
    if (content.ruleset !== ruleset)
      document.report.error(at(undefined, 'ruleset'), messages.otherName(ruleset, content.ruleset))
  for (const { document, name } of rulesets) refuseRulesetName(document, name)
  if (project === undefined) return undefined
  checkReferences(files.project, project, { rulesets: files.rulesets, suites, inputs })
  return {
    project,
    rulesets: rulesets.map(({ name, content }) =>
      withSamples(
        content,
        inputs.filter(({ ruleset }) => ruleset === name),
      ),
    ),
    subRules: contents(subRules),
    contracts: contents(contracts),
    facts: contents(facts),
    concepts: contents(concepts),
    suites: suites.map(({ name, content }) => ({ name, ...content })),
  }
}

function projectIn({ value, report }: ArchiveDocument) {
  const read = value === undefined ? undefined : projectShape(report, undefined, value)
  if (read === undefined) return undefined
  const { format, ...project } = read
  if (format !== FORMAT) report.error(at(undefined, 'format'), messages.laterFormat(format, FORMAT))
  return project
}

/** The valid items of a folder; reports the problems of the others. */
function itemsIn<Content>(
  { folders }: SortedFiles,
  folder: Folder,
  decode: (value: Value) => Decoded<Content>,
): readonly Item<Content>[] {
  return (folders.get(folder) ?? []).flatMap((item) => {
    const { value, problems } = decode(item.content)
    for (const problem of problems) item.document.report.add(problem)
    return value === undefined ? [] : [{ ...item, content: value }]
  })
}

const contents = <Content>(items: readonly Item<Content>[]) => items.map(({ content }) => content)

function shaped<Content>(decode: Decode<Content>, value: Value): Decoded<Content> {
  const report = new Report()
  const content = decode(report, undefined, value)
  return content === undefined ? { problems: report.problems } : { value: content, problems: report.problems }
}

/** Problems in the shape of a concept are reported after all were read. */
const isConcept = (value: Value) => conceptShape(new Report(), undefined, value) !== undefined

function draftIn(value: Value) {
  const { draft, problems } = decodeDraft(value)
  return draft === undefined ? { problems } : { value: draft, problems }
}

function withSamples(draft: DraftRuleset, inputs: readonly Item<Fields>[]): DraftRuleset {
  const samples = [...(draft.samples ?? []), ...inputs.map(({ name, content }) => ({ name, input: content }))]
  return samples.length === 0 ? draft : { ...draft, samples }
}

function subRuleIn(value: Value): Decoded<ArchivedSubRule> {
  const found = shaped(subRuleShape, value)
  if (found.value === undefined || parseVersion(found.value.version) !== undefined) return found
  const report = new Report()
  report.error(at(undefined, 'version'), messages.badVersion(found.value.version))
  return { ...found, problems: [...found.problems, ...report.problems] }
}

function holdToFileName<Content>(
  items: readonly Item<Content>[],
  place: Place,
  nameIn: (content: Content) => string,
): void {
  for (const { document, name, content } of items)
    if (nameIn(content) !== name) document.report.error(place, messages.otherName(name, nameIn(content)))
}

function refuseRulesetName({ report }: ArchiveDocument, name: string): void {
  const refusal = refuseName(name)
  if (refusal !== undefined) report.error(CONFIG_NAME, messages.badName(refusal))
}
