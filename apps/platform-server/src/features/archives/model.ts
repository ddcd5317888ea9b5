import { type Static, Type } from 'typebox'
import { MAX_FILES } from '../../compute/archive-limits.ts'
import { orNull } from '../../resources/resource-fields.ts'
import { Problem } from '../../resources/draft-problem.ts'
import { Project } from '../projects/model.ts'

/** One text file of an archive, in UTF-8. */
export const ArchiveFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1000, description: 'within the folder of the project' }),
    text: Type.String(),
  },
  { title: 'ArchiveFile' },
)

/** A whole project as files, as exported to Git and imported from it (docs/platform/archive.md). */
export const Archive = Type.Object(
  { files: Type.Array(ArchiveFile, { maxItems: MAX_FILES }) },
  {
    title: 'Archive',
    examples: [
      {
        files: [
          { path: 'project.yaml', text: 'version: 1\nname: Loans\ndescription: ""\ncurrent_environment: prod\n' },
        ],
      },
    ],
    description: 'of a project: one file a thing',
  },
)

const FileProblem = Type.Object(
  { file: Type.String(), ...Problem.properties },
  { title: 'FileProblem', description: '`line` and `column` are those of the file' },
)

const Paths = (what: string) => Type.Array(Type.String(), { description: `files of the archive that were ${what}` })

/** Result of an import or of its dry run, as paths of files. `project` is null for a dry run that would create one. */
export const Imported = Type.Object(
  {
    project: orNull(Project),
    created: Paths('new'),
    changed: Paths('different'),
    removed: Paths('missing, and whose content was deleted'),
    problems: Type.Array(FileProblem),
  },
  { title: 'Imported' },
)
export type Imported = Static<typeof Imported>
