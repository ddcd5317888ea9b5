import { useState } from 'react'
import { useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { Refusal } from '../ui/states.tsx'
import { SteadyButton } from '../ui/steady-button.tsx'
import { type CanaryProgress, type Execution, hasAlarm } from './progress.ts'
import { useRolloutTexts } from './rollout-texts.ts'

const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'
const RELEASE = `${RELEASES}/{rid}` as const
const ENDS = [RELEASES, RELEASE, `${RELEASE}/execution`, `${RELEASE}/executions/{eid}/canaries`] as const

interface RolloutActionsProps {
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
  readonly allowed: components['schemas']['Release']['allowed']
  readonly execution: Execution
  readonly canary: CanaryProgress | undefined
}

/** Buttons for the currently allowed operations, each labelled with its effect. */
export function RolloutActions({ path, allowed, execution, canary }: RolloutActionsProps) {
  const texts = useRolloutTexts()
  const [asking, setAsking] = useState<'abort' | 'promote'>()
  const pause = useSend('post', `${RELEASE}/pause`, ENDS)
  const resume = useSend('post', `${RELEASE}/resume`, ENDS)
  const promote = useSend('post', `${RELEASE}/promote`, ENDS)
  const abort = useSend('post', `${RELEASE}/abort`, ENDS)
  const all = [pause, resume, promote, abort]
  const isSending = all.some(({ isPending }) => isPending)
  const { stage } = execution
  const next = stage === null ? undefined : canary?.stages[stage.index + 1]
  const isRisky = canary?.measures !== null && canary?.measures !== undefined && hasAlarm(canary.measures)
  const refused = all.find(({ error }) => error !== null)?.error
  const further = next === undefined ? texts.acts.last : texts.acts.next(next.percent)
  return (
    <>
      {allowed.includes('resume') && (
        <SteadyButton className="btn" data-kind="primary" isOff={isSending} onClick={() => resume.mutate({ path })}>
          <Icon name="play" />
          {texts.acts.resume}
        </SteadyButton>
      )}
      {allowed.includes('pause') && (
        <SteadyButton className="btn" isOff={isSending} onClick={() => pause.mutate({ path })}>
          <Icon name="pause" />
          {stage === null ? texts.acts.pause : texts.acts.pauseAt(stage.percent)}
        </SteadyButton>
      )}
      {allowed.includes('promote') && (
        <SteadyButton
          className="btn"
          isOff={isSending}
          onClick={() => (isRisky ? setAsking('promote') : promote.mutate({ path }))}
        >
          <Icon name="onward" />
          {further}
        </SteadyButton>
      )}
      {allowed.includes('abort') && (
        <SteadyButton className="btn" data-kind="bad" isOff={isSending} onClick={() => setAsking('abort')}>
          <Icon name="x" />
          {texts.acts.abort}
        </SteadyButton>
      )}
      {refused !== undefined && <Refusal error={refused} />}
      {asking === 'abort' && (
        <Confirm
          title={texts.sure.abort}
          text={texts.sure.abortText}
          submit={texts.acts.abort}
          send={() => abort.mutateAsync({ path })}
          close={() => setAsking(undefined)}
        />
      )}
      {asking === 'promote' && (
        <Confirm
          title={texts.sure.promote}
          text={texts.sure.promoteText}
          submit={further}
          send={() => promote.mutateAsync({ path })}
          close={() => setAsking(undefined)}
        />
      )}
    </>
  )
}
