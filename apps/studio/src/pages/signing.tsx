import { useState } from 'react'
import { useGet, useSend } from '../api/data.ts'
import { IntegrationTabs } from '../frame/page-tabs.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useIntegrationTexts } from '../integrations/integration-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending } from '../ui/states.tsx'

const KEY = '/api/v1/orgs/{oid}/projects/{pid}/signing-key'
const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const TRUSTED = '/api/v1/orgs/{oid}/trusted-keys'

/** The key that signs the rulesets of a project, and the keys whose signatures on releases are accepted. */
export function SigningPage() {
  const { signing: texts } = useIntegrationTexts()
  return (
    <Page title={texts.title} text={texts.text} tabs={<IntegrationTabs />}>
      <ProjectKey />
      <TrustedKeys />
    </Page>
  )
}

function ProjectKey() {
  const { signing: texts } = useIntegrationTexts()
  const path = useIds()
  const found = useGet(KEY, { path })
  const set = useSend('put', KEY, [KEY, PROJECT])
  const remove = useSend('delete', KEY, [KEY, PROJECT])
  const [open, setOpen] = useState<'set' | 'remove'>()
  const close = () => setOpen(undefined)
  const key = found.data?.public_key
  return (
    <section className="card" aria-label={texts.key}>
      <header>
        <h2>{texts.key}</h2>
        <span className="muted">{texts.keyText}</span>
      </header>
      <div className="body stack">
        {key === undefined ? (
          <Pending of={found} lines={3} />
        ) : key === null ? (
          <Empty picture="key" title={texts.none} text={texts.noneText}>
            <PermissionButton right="project.manage" kind="primary" run={() => setOpen('set')}>
              {texts.set}
            </PermissionButton>
          </Empty>
        ) : (
          <>
            <p>
              <b>{texts.publicKey}.</b> {texts.publicHint}
            </p>
            <CodeBlock text={key} label={texts.publicKey} />
            <div className="row wrap">
              <PermissionButton right="project.manage" run={() => setOpen('set')}>
                {texts.replace}
              </PermissionButton>
              <PermissionButton right="project.manage" kind="bad" run={() => setOpen('remove')}>
                {texts.remove}
              </PermissionButton>
            </div>
          </>
        )}
      </div>
      {open === 'set' && (
        <FormBox
          title={key === null ? texts.set : texts.replace}
          close={close}
          fields={[{ name: 'private_key', label: texts.privateKey, hint: texts.privateHint, kind: 'password' }]}
          submit={key === null ? texts.set : texts.replace}
          send={async (body) => {
            await set.mutateAsync({ path, body })
            close()
          }}
        />
      )}
      {open === 'remove' && (
        <Confirm
          title={texts.remove}
          text={texts.removeText}
          submit={texts.remove}
          close={close}
          send={() => remove.mutateAsync({ path })}
        />
      )}
    </section>
  )
}

function TrustedKeys() {
  const { signing: texts } = useIntegrationTexts()
  const { oid } = useIds()
  const found = useGet(TRUSTED, { path: { oid } })
  const change = useSend('put', TRUSTED, [TRUSTED])
  const [isOpen, setOpen] = useState(false)
  const keys = found.data?.public_keys
  return (
    <section className="card" aria-label={texts.trusted}>
      <header>
        <h2>{texts.trusted}</h2>
        <span className="muted">{texts.trustedText}</span>
      </header>
      <div className="body stack">
        {keys === undefined ? (
          <Pending of={found} lines={2} />
        ) : keys.length === 0 ? (
          <p className="muted">{texts.noTrusted}</p>
        ) : (
          <ul>
            {keys.map((key) => (
              <li key={key}>
                <code>{key}</code>
              </li>
            ))}
          </ul>
        )}
        <div>
          <PermissionButton right="org.manage" run={() => setOpen(true)}>
            {texts.change}
          </PermissionButton>
        </div>
      </div>
      {isOpen && keys !== undefined && (
        <FormBox
          title={texts.change}
          close={() => setOpen(false)}
          fields={[
            {
              name: 'public_keys',
              label: texts.trustedKeys,
              hint: texts.trustedHint,
              kind: 'area',
              isOptional: true,
            },
          ]}
          initial={{ public_keys: keys.join('\n') }}
          submit={texts.change}
          send={async (values) => {
            const lines = values.public_keys.split('\n').map((line) => line.trim())
            await change.mutateAsync({ path: { oid }, body: { public_keys: lines.filter((line) => line !== '') } })
            setOpen(false)
          }}
        />
      )}
    </section>
  )
}
