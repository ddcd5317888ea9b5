import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { ProjectArchive } from '../archives/project-archive.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds, useMay, useProject } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Form, FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

type Environment = components['schemas']['Environment']
type Project = components['schemas']['Project']
const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const ENVIRONMENTS = `${PROJECT}/environments` as const

type OpenDialog =
  | { readonly kind: 'make' | 'removeProject' }
  | { readonly kind: 'bind' | 'change'; readonly environment: Environment }

/** The project itself, its environments and the engines that serve them. */
export function ProjectSettingsPage() {
  const { projectSettings: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const may = useMay('project.manage')
  const project = useProject()
  const environments = useEnvironments()
  const go = useGo()
  const remove = useSend('delete', PROJECT, ['/api/v1/orgs/{oid}/projects'])
  const [open, setOpen] = useState<OpenDialog>()
  const close = () => setOpen(undefined)
  if (project.data === undefined || environments.data === undefined) {
    const error = project.error ?? environments.error
    return (
      <Page title={texts.title}>
        <Pending of={{ error, refetch: project.refetch }} />
      </Page>
    )
  }
  const { name, current_environment: current } = project.data
  return (
    <Page title={texts.title} text={texts.text}>
      <Environments environments={environments.data.items} current={current} setOpen={setOpen} />
      {may && (
        <section className="card">
          <div className="body">
            <ProjectForm key={project.data.rev} project={project.data} environments={environments.data.items} />
          </div>
        </section>
      )}
      <ProjectArchive />
      <div>
        <PermissionButton right="project.manage" kind="bad" run={() => setOpen({ kind: 'removeProject' })}>
          {texts.remove}
        </PermissionButton>
      </div>
      {(open?.kind === 'make' || open?.kind === 'change') && (
        <EnvironmentBox environment={'environment' in open ? open.environment : undefined} close={close} />
      )}
      {open?.kind === 'bind' && <Bind environment={open.environment} close={close} />}
      {open?.kind === 'removeProject' && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(name)}
          submit={texts.remove}
          close={close}
          send={async () => {
            await remove.mutateAsync({ path: { oid, pid } })
            go(paths.organization(oid), { replace: true })
          }}
        />
      )}
    </Page>
  )
}

interface EnvironmentsProps {
  readonly environments: readonly Environment[]
  /** The name of the project's current environment. */
  readonly current: string
  readonly setOpen: (dialog: OpenDialog) => void
}

function Environments({ environments, current, setOpen }: EnvironmentsProps) {
  const { projectSettings: texts } = usePageTexts()
  return (
    <section className="card">
      <header>
        <h2>{texts.environments}</h2>
        <span className="grow" />
        <PermissionButton right="environment.manage" run={() => setOpen({ kind: 'make' })}>
          <Icon name="plus" />
          {texts.makeEnvironment}
        </PermissionButton>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={texts.environments}>
        <table className="list stacked">
          <thead>
            <tr>
              <th scope="col">{texts.name}</th>
              <th scope="col">{texts.release}</th>
              <th scope="col">{texts.localRulesets}</th>
              <th scope="col">{texts.servers}</th>
              <th scope="col">
                <span className="vh">{texts.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {environments.map((environment) => (
              <tr key={environment.id}>
                <td data-title={texts.name}>
                  <b>{environment.name}</b>{' '}
                  {environment.name === current && <span className="tag">{texts.current}</span>}
                </td>
                <td data-title={texts.release}>{environment.requires_release ? texts.needed : texts.notNeeded}</td>
                <td data-title={texts.localRulesets}>
                  {environment.allow_local_rulesets ? texts.reached : texts.notReached}
                </td>
                <td data-title={texts.servers} className="tnum">
                  {texts.bound(environment.server_ids.length)}
                </td>
                <td className="acts">
                  <span className="row">
                    <PermissionButton
                      right="server.manage"
                      kind="quiet"
                      run={() => setOpen({ kind: 'bind', environment })}
                    >
                      {texts.bind}
                    </PermissionButton>
                    <PermissionButton
                      right="environment.manage"
                      kind="quiet"
                      run={() => setOpen({ kind: 'change', environment })}
                    >
                      {texts.change}
                    </PermissionButton>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface ProjectFormProps {
  readonly project: Project
  readonly environments: readonly Environment[]
}

const CONTRACT_MODES = ['enforce', 'warn', 'off'] as const

/** The name, description, current environment and contract mode of the project. */
function ProjectForm({ project, environments }: ProjectFormProps) {
  const { projectSettings: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const change = useSend('put', PROJECT, [PROJECT, '/api/v1/orgs/{oid}/projects'])
  const { name, description, current_environment, contract_mode } = project
  return (
    <Form
      takesFocus={false}
      fields={[
        { name: 'name', label: texts.name },
        { name: 'description', label: texts.description, isOptional: true },
        {
          name: 'current_environment',
          label: texts.currentEnvironment,
          kind: 'select',
          options: environments.map((one) => ({ value: one.name, label: one.name })),
        },
        {
          name: 'contract_mode',
          label: texts.contractMode,
          kind: 'select',
          options: CONTRACT_MODES.map((value) => ({ value, label: texts.contractModes[value] })),
        },
      ]}
      initial={{ name, description, current_environment, contract_mode }}
      submit={texts.save}
      send={(values) =>
        change.mutateAsync({
          path: { oid, pid },
          body: {
            name: values.name,
            description: values.description,
            current_environment: values.current_environment,
            contract_mode: CONTRACT_MODES.find((mode) => mode === values.contract_mode) ?? contract_mode,
          },
        })
      }
    />
  )
}

function EnvironmentBox({
  environment,
  close,
}: {
  readonly environment: Environment | undefined
  readonly close: () => void
}) {
  const { projectSettings: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const make = useSend('post', ENVIRONMENTS, [ENVIRONMENTS])
  const change = useSend('put', `${ENVIRONMENTS}/{eid}`, [ENVIRONMENTS, PROJECT])
  return (
    <FormBox
      title={environment === undefined ? texts.makeEnvironment : texts.change}
      close={close}
      fields={[
        { name: 'name', label: texts.name },
        { name: 'requires_release', label: texts.requiresRelease, kind: 'flag' },
        { name: 'allow_local_rulesets', label: texts.allowLocalRulesets, kind: 'flag' },
      ]}
      initial={{
        name: environment?.name ?? '',
        requires_release: environment?.requires_release ?? true,
        allow_local_rulesets: environment?.allow_local_rulesets ?? false,
      }}
      submit={texts.save}
      send={async (values) => {
        const body = {
          name: values.name,
          requires_release: values.requires_release,
          allow_local_rulesets: values.allow_local_rulesets,
        }
        if (environment === undefined) await make.mutateAsync({ path: { oid, pid }, body })
        else await change.mutateAsync({ path: { oid, pid, eid: environment.id }, body })
        close()
      }}
    />
  )
}

/** The engines that serve an environment, the primary one first. */
function Bind({ environment, close }: { readonly environment: Environment; readonly close: () => void }) {
  const { projectSettings: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const servers = useList('/api/v1/servers', { query: { org_id: oid } }).items ?? []
  const bind = useSend('put', `${PROJECT}/server`, [ENVIRONMENTS])
  return (
    <FormBox
      title={texts.bindTo(environment.name)}
      close={close}
      fields={[
        {
          name: 'server_ids',
          label: texts.servers,
          kind: 'checks',
          options: servers.map(({ id, name }) => ({ value: id, label: name })),
        },
      ]}
      initial={{ server_ids: environment.server_ids }}
      submit={texts.bind}
      send={async (values) => {
        await bind.mutateAsync({
          path: { oid, pid },
          body: { environment: environment.name, server_ids: values.server_ids },
        })
        close()
      }}
    >
      {servers.length === 0 && <p className="muted">{texts.noServers}</p>}
    </FormBox>
  )
}
