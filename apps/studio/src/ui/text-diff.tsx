import { structuredPatch } from 'diff'
import { useMemo } from 'react'

/** Number of context lines around a difference. */
const CONTEXT = 3
/** Maximum number of inserted and deleted lines: the cost of the search is quadratic in it. */
const MAX_EDITS = 4000

interface TextDiffProps {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly words: { readonly added: string; readonly removed: string; readonly same: string; readonly tooMany: string }
}

interface Line {
  readonly kind: ' ' | '+' | '-'
  readonly text: string
  readonly was: number | undefined
  readonly is: number | undefined
}

/** The differences of two texts by line, with context. Cost: the lines times the differing lines. */
export function TextDiff({ name, before, after, words }: TextDiffProps) {
  const hunks = useMemo(() => hunksOf(before, after), [before, after])
  if (hunks === undefined) return <p className="muted">{words.tooMany}</p>
  if (hunks.length === 0) return <p className="muted">{words.same}</p>
  return (
    <div className="scroll text-diff" tabIndex={0} role="region" aria-label={name}>
      <table>
        {hunks.map((lines, index) => (
          <tbody key={index}>
            {lines.map(({ kind, text, was, is }) => (
              <tr
                key={`${was ?? ''} ${is ?? ''}`}
                data-kind={kind === '+' ? 'added' : kind === '-' ? 'removed' : undefined}
              >
                <td className="num">{was}</td>
                <td className="num">{is}</td>
                <td aria-hidden="true">{kind}</td>
                <td>
                  {kind !== ' ' && <span className="vh">{kind === '+' ? words.added : words.removed}</span>}
                  <code>{text}</code>
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

/** The differences with their lines; undefined if there are too many. */
function hunksOf(before: string, after: string): readonly (readonly Line[])[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: MAX_EDITS })
  return patch?.hunks.map(({ oldStart, newStart, lines }) => {
    let [was, is] = [oldStart, newStart]
    return lines
      .filter((line) => !line.startsWith('\\'))
      .map((line): Line => {
        const kind = line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' '
        return {
          kind,
          text: line.slice(1),
          was: kind === '+' ? undefined : was++,
          is: kind === '-' ? undefined : is++,
        }
      })
  })
}
