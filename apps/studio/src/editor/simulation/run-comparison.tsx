import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { keyOf, useGet } from '../../api/data.ts'
import { rulesetOf } from '../../api/draft-ruleset.ts'
import { useIds } from '../../frame/route-scope.ts'
import { ask } from '../../language/language.ts'
import type { LocalRun, LocalStep } from '../../language/tasks.ts'
import { useTexts, useTime } from '../../texts/texts.tsx'
import { pretty } from '../../ui/json-text.ts'
import { Refusal } from '../../ui/states.tsx'
import { inputOf } from '../state/simulation.ts'
import { useEditor } from '../state/editor-context.ts'
import { ExecutionPath } from './execution-path.tsx'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'

/** Executes the same input with another version, a save or the live version of an environment, in the browser. */
export function RunComparison({ run }: { readonly run: LocalRun }) {
  const { simulator } = useTexts()
  const { name, draft, selectPath } = useEditor()
  const versions = useVersions(name)
  const [chosen, choose] = useState<number>()
  const seq = chosen ?? versions[0]?.seq
  const other = useOther(seq)
  const theirs = other.data?.run
  return (
    <div className="stack">
      <label className="row">
        <span className="muted">{simulator.compareWith}</span>
        <select className="input" value={seq} onChange={({ target }) => choose(Number(target.value))}>
          {versions.map((one) => (
            <option key={one.seq} value={one.seq}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      <Refusal error={other.error} />
      {theirs !== undefined && (
        <>
          <Verdict mine={run} theirs={theirs} />
          <div className="compared">
            <section aria-label={simulator.thisDraft}>
              <h3>{simulator.thisDraft}</h3>
              <ExecutionPath
                draft={draft}
                steps={run.steps}
                shown={run.steps.length}
                different={differences(run.steps, theirs.steps)}
                showStep={({ path }) => selectPath(path)}
              />
            </section>
            <section aria-label={simulator.otherVersion}>
              <h3>{simulator.otherVersion}</h3>
              <ExecutionPath
                draft={other.data?.draft ?? draft}
                steps={theirs.steps}
                shown={theirs.steps.length}
                different={differences(theirs.steps, run.steps)}
                showStep={({ path }) => selectPath(path)}
              />
            </section>
          </div>
        </>
      )}
    </div>
  )
}

function Verdict({ mine, theirs }: { readonly mine: LocalRun; readonly theirs: LocalRun }) {
  const { simulator } = useTexts()
  const [own, other] = [resultOf(mine), resultOf(theirs)]
  return (
    <p className="note" data-tone={own === other ? 'ok' : 'warn'} role="status">
      {own === other ? simulator.sameResult : simulator.otherResult(mine.code ?? '–', theirs.code ?? '–')}
    </p>
  )
}

const resultOf = ({ code, message, output, error }: LocalRun) => pretty([code, message, output, error?.message ?? null])

/** Saves to compare with, those that are live in an environment first. */
function useVersions(name: string): readonly { readonly seq: number; readonly label: string }[] {
  const { simulator } = useTexts()
  const time = useTime()
  const path = { ...useIds(), name }
  const saves = useGet(`${RULESET}/saves`, { path }).data?.items
  const deployments = useGet(`${RULESET}/deployments`, { path }).data?.items
  return useMemo(() => {
    const live = new Map<string, { readonly seq: number; readonly at: string }>()
    for (const { environment, seq, status, deployed_at: at } of deployments ?? [])
      if (status === 'success' && (live.get(environment)?.at ?? '') < at) live.set(environment, { seq, at })
    const places = new Map<number, string[]>()
    for (const [environment, { seq }] of live) places.getOrInsertComputed(seq, () => []).push(environment)
    const all = (saves ?? []).map(({ seq, at }) => ({
      seq,
      isLive: places.has(seq),
      label: simulator.version(seq, time(at), places.get(seq) ?? []),
    }))
    return all.sort((left, right) => Number(right.isLive) - Number(left.isLive))
  }, [saves, deployments, simulator, time])
}

/** The execution of another version with the input of this one. */
function useOther(seq: number | undefined) {
  const {
    name,
    simulation: { executed, stubs },
    surroundings,
  } = useEditor()
  const path = { ...useIds(), name, seq: String(seq) }
  return useQuery({
    queryKey: [...keyOf(`${RULESET}/saves/{seq}`, { path }), 'run', executed, stubs],
    enabled: seq !== undefined,
    queryFn: async () => {
      const draft = rulesetOf(await call('get', `${RULESET}/saves/{seq}`, { path }))
      const outcome = await ask('run', { draft, ...surroundings, input: inputOf(executed) ?? {}, stubs })
      if (outcome.kind === 'problems')
        throw new Error(outcome.problems.find(({ severity }) => severity === 'error')?.message ?? '')
      return { draft, run: outcome.run }
    },
  })
}

/** Steps that the other execution did not reach, or left through another exit or with other variables. */
function differences(steps: readonly LocalStep[], others: readonly LocalStep[]): ReadonlySet<number> {
  const known = new Set(others.map(wayOf))
  return new Set(steps.flatMap((step, index) => (known.has(wayOf(step)) ? [] : [index])))
}

const wayOf = ({ id, branches, values }: LocalStep) =>
  pretty([id, branches?.find(({ taken }) => taken)?.condition ?? null, values])
