import { convertDraftDocument, isDraft, type Problem as DraftProblem } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { positionInReason, problemsInFile, type ReadRuleFile } from '@engine/rule-file'
import { decodeRuleset, type DecodeOptions, type Fault } from '@engine/ruleset'
import type { DecodedRuleFile } from '../files.ts'
import type { Problem } from '../problem.ts'

/** A rule file to be checked. */
export interface CheckedFile extends DecodedRuleFile {
  readonly path: string
  /** In the form of engines; undefined: the file cannot be read, or is a draft with errors. */
  readonly document: Value | undefined
  /** For JSON rulesets; undefined for drafts, YAML and compiled files. */
  readonly text: string | undefined
}

/**
 * The ruleset or draft in a file, with the position of each problem in the text of the file.
 *
 * @param source the text of JSON and YAML
 */
export function checkedFile(
  path: string,
  read: ReadRuleFile,
  source: string | undefined,
  options: Pick<DecodeOptions, 'isStored'> = {},
): Omit<CheckedFile, 'path'> {
  if ('reason' in read) return { ...NOTHING, problems: [problemOf(read.reason)] }
  const { document, text } = read
  const decoded = isDraft(document) ? decodedDraft(document) : { document, text, ...decodedRuleset(document, options) }
  const found = [decoded.problems, decoded.warnings, decoded.tolerated]
  const [problems = [], warnings = [], tolerated = []] = source === undefined ? found : inFile(path, source, found)
  return { ...decoded, problems, warnings, tolerated }
}

/** A problem; `line` and `column` are places in the text at `path`. */
type Found = Problem

const NOTHING = { document: undefined, text: undefined, warnings: [], tolerated: [] }

function decodedRuleset(document: Value, options: DecodeOptions) {
  const { problems, warnings, tolerated, ...rest } = decodeRuleset(document, options)
  return { ...rest, problems: problems.map(plain), warnings: warnings.map(plain), tolerated: tolerated.map(plain) }
}

const plain = ({ path, message, line, column, suggestion }: Fault): Found => ({
  path,
  message,
  ...(line !== undefined && column !== undefined && { line, column }),
  ...(suggestion !== undefined && { suggestion }),
})

function decodedDraft(document: Value) {
  const { ruleset: converted, problems: all } = convertDraftDocument(document)
  const found = {
    text: undefined,
    problems: all.filter(({ severity }) => severity === 'error').map(ofDraft),
    warnings: all.filter(({ severity }) => severity === 'warning').map(ofDraft),
    tolerated: [],
  }
  if (converted === undefined) return { ...found, document: undefined }
  const { ruleset } = decodeRuleset(converted)
  return { ...found, document: converted, ...(ruleset && { ruleset }) }
}

const ofDraft = ({ path, message, line, column, suggestion }: DraftProblem): Found => ({
  path,
  message,
  ...(line !== undefined && column !== undefined && { line, column }),
  ...(suggestion !== undefined && { suggestion }),
})

/** Lists of problems with their positions in the text of the file. */
function inFile(path: string, source: string, lists: readonly (readonly Found[])[]): readonly (readonly Problem[])[] {
  const all = lists.flat()
  if (all.length === 0) return lists
  const found = problemsInFile(path, source, all).values()
  return lists.map((list) => Array.from(found.take(list.length)))
}

const problemOf = (reason: string): Problem => ({ path: '', message: reason, ...positionInReason(reason) })
