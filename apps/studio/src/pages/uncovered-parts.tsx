import { useQuery } from '@tanstack/react-query'
import { stringifyJson } from '@engine/expression'
import { useMemo } from 'react'
import { useGet } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import { uncovered } from '../editor/findings/uncovered.ts'
import { useCases, useReferences } from '../editor/state/references.ts'
import { useIds } from '../frame/route-scope.ts'
import { ask } from '../language/language.ts'
import { paths } from '../paths.ts'
import { place } from '../problem-text/pointer-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Failed, Skeleton } from '../ui/states.tsx'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'

/** Maximum number of listed parts: each test often covers several. */
const MAX_SHOWN = 12

/**
 * Rows, branches and “otherwise” of a saved draft that no saved test reaches; each opens in the editor with an input
 * that reaches it.
 */
export function UncoveredParts({ name }: { readonly name: string }) {
  const { findings: words, places, savedTests } = useTexts()
  const { oid, pid } = useIds()
  const { data, error, refetch } = useGet(RULESET, { path: { oid, pid, name } })
  const draft = useMemo(() => data && rulesetOf(data), [data])
  const cases = useCases(name)
  const { surroundings, isKnown } = useReferences(draft?.config.contract ?? name)
  const found = useQuery({
    queryKey: ['uncovered parts', oid, pid, name, data?.seq, cases],
    enabled: draft !== undefined && cases !== undefined && isKnown,
    queryFn: async () => {
      if (draft === undefined || cases === undefined) throw new Error('not loaded')
      const subject = { draft, ...surroundings }
      const [run, { inputs }] = await Promise.all([
        ask('cases', { ...subject, cases }),
        ask('findings', { ...subject, samples: cases.map(({ input }) => input) }),
      ])
      // The coverage is unknown for a draft with problems, or if the analysis found no inputs.
      return run.kind === 'ran' && inputs.size > 0 ? uncovered(draft, run.hits, inputs) : null
    },
  })
  const failure = error ?? found.error
  if (failure !== null) return <Failed error={failure} retry={() => Promise.all([refetch(), found.refetch()])} />
  const open = found.data
  if (open === null) return null
  return (
    <section className="card uncovered" aria-label={savedTests.uncovered}>
      <header>
        <h2>{savedTests.uncovered}</h2>
        <span className="grow" />
        {open !== undefined && open.length > 0 && (
          <span className="tag tnum" data-tone="warn">
            {open.length}
          </span>
        )}
      </header>
      {open === undefined || draft === undefined ? (
        <Skeleton lines={3} />
      ) : open.length === 0 ? (
        <p className="body muted">{words.allCovered}</p>
      ) : (
        <ul>
          {open.slice(0, MAX_SHOWN).map(({ path, place: at, input }) => {
            const where = place(at, draft, places)
            return (
              <li key={path}>
                <b>{where}</b>
                <Go to={paths.ruleset(oid, pid, name)} search={{ run: stringifyJson(input) }} className="btn">
                  <Icon name="test" size={13} />
                  {words.createTest}
                  <span className="vh"> {where}</span>
                </Go>
              </li>
            )
          })}
          {open.length > MAX_SHOWN && <li className="muted">{words.moreUncovered(open.length - MAX_SHOWN)}</li>}
        </ul>
      )}
    </section>
  )
}
