import { useState } from 'react'
import { useGet, useSend } from '../api/data.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Form } from '../ui/form.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

/** Name and description of the organization, and its deletion. */
export function SettingsPage() {
  const { settings: texts } = useTexts()
  const { oid } = useIds()
  const may = useMay('org.manage')
  const go = useGo()
  const found = useGet('/api/v1/orgs/{id}', { path: { id: oid } })
  const change = useSend('put', '/api/v1/orgs/{id}', ['/api/v1/orgs/{id}', '/api/v1/orgs', '/api/v1/me'])
  const remove = useSend('delete', '/api/v1/orgs/{id}', ['/api/v1/orgs'])
  const [isAsking, setAsking] = useState(false)
  const [isSaved, setSaved] = useState(false)
  return (
    <Page title={texts.title} text={texts.text}>
      {found.data === undefined ? (
        <Pending of={found} />
      ) : (
        <>
          <section className="card">
            <div className="body">
              {may ? (
                <Form
                  takesFocus={false}
                  key={found.data.rev}
                  fields={[
                    { name: 'name', label: texts.name },
                    { name: 'description', label: texts.description, isOptional: true },
                  ]}
                  initial={{ name: found.data.name, description: found.data.description }}
                  submit={texts.save}
                  send={async (values) => {
                    await change.mutateAsync({
                      path: { id: oid },
                      body: { name: values.name, description: values.description },
                    })
                    setSaved(true)
                  }}
                />
              ) : (
                <p className="muted">{texts.readOnly}</p>
              )}
              <p role="status">{isSaved && texts.saved}</p>
            </div>
          </section>
          <section className="card">
            <header>
              <h2>{texts.remove}</h2>
            </header>
            <div className="body stack">
              <p className="muted">{texts.removeText}</p>
              <div>
                <PermissionButton right="org.manage" kind="bad" run={() => setAsking(true)}>
                  {texts.remove}
                </PermissionButton>
              </div>
            </div>
          </section>
        </>
      )}
      {isAsking && (
        <Confirm
          title={texts.remove}
          text={texts.removeText}
          submit={texts.remove}
          close={() => setAsking(false)}
          send={async () => {
            await remove.mutateAsync({ path: { id: oid } })
            go(paths.organizations(), { replace: true })
          }}
        />
      )}
    </Page>
  )
}
