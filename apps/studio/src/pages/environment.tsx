import { useState } from 'react'
import { useSend } from '../api/data.ts'
import { GuardSentences } from '../environments/environment-cards.tsx'
import { CanaryForm, EngineOrder, LiveHere, RecordingForm, SettingsForm } from '../environments/environment-forms.tsx'
import { useEnvironmentTexts } from '../environments/environment-texts.ts'
import { StageBar } from '../environments/stage-bar.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds, useMay, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import '../styles/environments.css'
import { useNumbers } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'
import { Unknown } from './not-found.tsx'

const ENVIRONMENTS = '/api/v1/orgs/{oid}/projects/{pid}/environments'

/**
 * One environment: engines, rollout and guards, recording, settings. Users who may not edit see sentences instead of
 * forms.
 */
export function EnvironmentPage() {
  const texts = useEnvironmentTexts()
  const { percent } = useNumbers()
  const { oid, pid } = useIds()
  const name = useParameter('environment')
  const may = useMay('environment.manage')
  const found = useEnvironments()
  const go = useGo()
  const remove = useSend('delete', `${ENVIRONMENTS}/{eid}`, [ENVIRONMENTS])
  const [isRemoving, setRemoving] = useState(false)
  const environment = found.data?.items.find((one) => one.name === name)
  if (environment === undefined)
    return found.data === undefined ? (
      <Page title={name}>
        <div className="card">
          <Pending of={found} />
        </div>
      </Page>
    ) : (
      <Unknown />
    )
  const { id, recording, canary } = environment
  const parts = [
    { title: texts.engines, content: <EngineOrder environment={environment} /> },
    { title: texts.liveHere, content: <LiveHere environment={environment} /> },
    {
      title: texts.canary,
      content: may ? (
        <CanaryForm key={`${id} canary`} environment={environment} />
      ) : (
        <StageBar stages={canary.stages} />
      ),
    },
    {
      title: texts.recording,
      content: may ? (
        <RecordingForm key={`${id} recording`} environment={environment} />
      ) : recording.rate === 0 ? (
        <p>{texts.notRecorded}</p>
      ) : (
        <p>{texts.recorded(percent(recording.rate / 100), recording.retention_days, recording.mask.length)}</p>
      ),
    },
    ...(may ? [{ title: texts.settings, content: <SettingsForm key={id} environment={environment} /> }] : []),
  ]
  return (
    <Page
      title={name}
      actions={
        <PermissionButton right="environment.manage" kind="bad" run={() => setRemoving(true)}>
          {texts.remove}
        </PermissionButton>
      }
    >
      <div className="environment-parts">
        {parts.map(({ title, content }) => (
          <section key={title} className="card" aria-label={title}>
            <header>
              <h2>{title}</h2>
            </header>
            <div className="body stack">{content}</div>
          </section>
        ))}
      </div>
      {canary.stages.length > 0 && <GuardSentences canary={canary} name={name} />}
      {isRemoving && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(name)}
          submit={texts.remove}
          close={() => setRemoving(false)}
          send={async () => {
            await remove.mutateAsync({ path: { oid, pid, eid: id } })
            go(paths.environments(oid, pid), { replace: true })
          }}
        />
      )}
    </Page>
  )
}
