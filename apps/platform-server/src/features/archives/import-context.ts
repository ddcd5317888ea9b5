import type { ProjectArchive } from '@engine/authoring'
import type { Compute } from '../../compute/compute.ts'
import type { Change } from '../../database/database.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { PresentProject } from './current-project.ts'
import type { ImportProblems } from './problems.ts'

/** A running import, within one transaction. */
export interface Importing {
  /** Its changes are steps of `change`. */
  readonly acting: Acting<InProject>
  readonly compute: Compute
  readonly change: Change
  /** Whether to delete resources that the archive does not contain. */
  readonly prune: boolean
}

/** The kinds of resources that an import changes; each requires a right. */
export type Kind = 'environment' | 'fact' | 'concept' | 'contract' | 'sub_rule' | 'ruleset' | 'suite'

/** Files of the archive, grouped by the outcome of their content. */
export class Applied {
  readonly created: string[] = []
  readonly changed: string[] = []
  readonly removed: string[] = []
  readonly kinds = new Set<Kind>()

  note(verb: 'created' | 'changed' | 'removed', kind: Kind, path: string): void {
    this.kinds.add(kind)
    if (!this[verb].includes(path)) this[verb].push(path)
  }
}

/** An import with the present and the desired state of the project. */
export interface Applying extends Importing {
  readonly archive: ProjectArchive
  readonly present: PresentProject
  readonly applied: Applied
  readonly problems: ImportProblems
}
