import type { Value } from '@engine/expression'
import type { ArchiveFile, ProjectArchive, YamlForm } from './archive.ts'
import { byPath, PROJECT_FILE } from './folders.ts'
import { fileName } from './file-name.ts'
import { layOut, ordered } from './layout.ts'

/** Version of the archive format; readers reject later versions. */
export const FORMAT = 1

/** Paths of each kind of item in an archive. */
export const ARCHIVE_PATHS = {
  project: PROJECT_FILE,
  ruleset: (name: string) => `rulesets/${fileName(name)}.json`,
  subRule: (name: string) => `sub-rules/${fileName(name)}.json`,
  contract: (name: string) => `contracts/${fileName(name)}.json`,
  fact: (name: string) => `facts/${fileName(name)}.json`,
  concept: (name: string) => `concepts/${fileName(name)}.json`,
  suite: (ruleset: string, name: string) => `tests/${fileName(ruleset)}/${fileName(name)}.yaml`,
  sample: (ruleset: string, name: string) => `inputs/${fileName(ruleset)}/${fileName(name)}.json`,
} as const

/** An item as JSON: interfaces have no index signature, although their members are JSON. */
const jsonOf = (item: object): Value => item as Value

/** A project whose rulesets and suites may be produced one at a time. */
export type ArchiveSource = Omit<ProjectArchive, 'rulesets' | 'suites'> & {
  readonly rulesets: Iterable<ProjectArchive['rulesets'][number]>
  readonly suites: Iterable<ProjectArchive['suites'][number]>
}

/**
 * A project as text files, one per item, suited for Git: the same project gives the same files in path order, and a
 * change of one item changes only its file. Linear in the size of the project.
 */
export function writeArchive(archive: ArchiveSource, yaml: YamlForm): readonly ArchiveFile[] {
  return [...filesOf(archive, yaml)].toSorted(byPath)
}

function* filesOf(archive: ArchiveSource, yaml: YamlForm): Generator<ArchiveFile> {
  const { project, rulesets, subRules, contracts, facts, concepts, suites } = archive
  const json = (path: string, value: object): ArchiveFile => ({ path, text: layOut(jsonOf(value)) })
  const at = ARCHIVE_PATHS
  yield json(at.project, { format: FORMAT, ...project })
  for (const { samples = [], ...draft } of rulesets) {
    yield json(at.ruleset(draft.config.name), draft)
    for (const { name, input } of samples) yield { path: at.sample(draft.config.name, name), text: layOut(input) }
  }
  for (const subRule of subRules) yield json(at.subRule(subRule.name), subRule)
  for (const contract of contracts) yield json(at.contract(contract.name), contract)
  for (const fact of facts) yield json(at.fact(fact.name), fact)
  for (const concept of concepts) yield json(at.concept(concept.name), concept)
  for (const { ruleset, name, cases } of suites)
    yield {
      path: at.suite(ruleset, name),
      text: yaml.write({ ruleset, cases: cases.map((one) => ordered(jsonOf(one))) }),
    }
}
