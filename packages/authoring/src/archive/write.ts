import type { Value } from '@engine/expression'
import type { ArchiveFile, ProjectArchive, YamlForm } from './archive.ts'
import { byPath, PROJECT_FILE } from './folders.ts'
import { fileName } from './file-name.ts'
import { layOut, ordered } from './layout.ts'

/** Counts changes of the form of archives; a reader refuses a later one. */
export const FORMAT = 1

/**
 * A project as files of text, one a thing, made to be kept in Git: the same project gives the same files, in the order of
 * their paths, and a change of one thing changes its file. Costs the size of the project.
 */
export function writeArchive(archive: ProjectArchive, yaml: YamlForm): readonly ArchiveFile[] {
  const { project, rulesets, subRules, contracts, facts, concepts, suites } = archive
  const json = (folder: string, name: string, value: Value): ArchiveFile => ({
    path: `${folder}/${fileName(name)}.json`,
    text: layOut(value),
  })
  const files = [
    { path: PROJECT_FILE, text: layOut({ format: FORMAT, ...project }) },
    ...rulesets.flatMap(({ samples = [], ...draft }) => [
      json('rulesets', draft.config.name, draft as Value),
      ...samples.map(({ name, input }) => json(`inputs/${fileName(draft.config.name)}`, name, input)),
    ]),
    ...subRules.map((subRule) => json('sub-rules', subRule.name, subRule as Value)),
    ...contracts.map((contract) => json('contracts', contract.name, contract as Value)),
    ...facts.map((fact) => json('facts', fact.name, fact as Value)),
    ...concepts.map((concept) => json('concepts', concept.name, concept as Value)),
    ...suites.map(({ ruleset, name, cases }) => ({
      path: `tests/${fileName(ruleset)}/${fileName(name)}.yaml`,
      text: yaml.write({ ruleset, cases: cases.map((one) => ordered(one as Value)) }),
    })),
  ]
  return files.toSorted(byPath)
}
