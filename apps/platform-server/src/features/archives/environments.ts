import { ARCHIVE_PATHS, type ArchivedEnvironment, type ContractMode, sameValue } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { Type } from 'typebox'
import { changeEnvironment, createEnvironment, deleteEnvironment } from '../environments/service.ts'
import { CanarySettings, EnvironmentRequest, NO_RECORDING, Recording } from '../projects/model.ts'
import { environmentsOn } from '../projects/repository.ts'
import { changeProject } from '../projects/service.ts'
import type { Applying } from './import-context.ts'
import { ALL, DEFAULT_CANARY } from './current-project.ts'

const { canary_target_env_id: _, ...stages } = CanarySettings.properties
const Settings = Type.Object({
  ...EnvironmentRequest.properties,
  canary: Type.Object({ ...stages, canary_target: Type.Union([Type.String(), Type.Null()]) }),
  recording: Recording,
})

/** The settings that one update of an environment changes, apart from its name. */
const SETTINGS = ['order', 'requires_release', 'hold_before', 'allow_local_rulesets'] as const

/** Make the environments match the archive, and the project its current one and its contract mode. Engine bindings stay. */
export async function applyEnvironments(applying: Applying): Promise<void> {
  const { acting, change, prune, applied, problems } = applying
  const { project } = applying.archive
  const { archive: before, environments: rows } = applying.present
  const file = ARCHIVE_PATHS.project
  const wanted = project.environments.map(withDefaults)
  const isValid = wanted
    .map((settings, index) => problems.isWithin(file, Settings, settings) || fail(index))
    .every(Boolean)
  if (!isValid) return
  const earlier = new Map(before.project.environments.map((one, index) => [one.name, withDefaults(one, index)]))
  const ids = new Map(rows.map(({ name, id }) => [name, id]))
  const note = () => applied.note('changed', 'environment', file)
  for (const { name, order, requires_release, hold_before, allow_local_rulesets } of wanted) {
    if (earlier.has(name)) continue
    const request = { name, order, requires_release, hold_before, allow_local_rulesets }
    await problems.attempt(file, async () => {
      ids.set(name, (await createEnvironment(acting, request)).id)
      note()
    })
  }
  for (const settings of wanted) {
    const id = ids.get(settings.name)
    const was = earlier.get(settings.name)
    if (id !== undefined) await problems.attempt(file, () => adjust(id, settings, was))
  }
  await problems.attempt(file, setProject)
  if (!prune) return
  const kept = new Set(wanted.map(({ name }) => name))
  const { rows: present } = await environmentsOn(change.scope, acting.place.project.id, ALL, null)
  for (const { id, name } of present) {
    if (kept.has(name)) continue
    await problems.attempt(file, async () => {
      await deleteEnvironment(acting, id, undefined)
      note()
    })
  }

  function fail(index: number): false {
    const found = problems.found.at(-1)
    if (found !== undefined && !found.path.startsWith('/environments/'))
      problems.found[problems.found.length - 1] = { ...found, path: `/environments/${index}${found.path}` }
    return false
  }

  async function adjust(id: string, settings: Settled, was: Settled | undefined): Promise<void> {
    const { order, requires_release, hold_before, allow_local_rulesets, canary, recording } = settings
    const isSame = (key: keyof Settled) => sameValue(was?.[key], settings[key])
    const set = async (patch: Parameters<typeof changeEnvironment>[2]) => {
      await changeEnvironment(acting, id, patch, undefined)
      note()
    }
    if (was !== undefined && !SETTINGS.every(isSame))
      await set({ kind: 'settings', change: { order, requires_release, hold_before, allow_local_rulesets } })
    if (!sameValue(was?.canary ?? DEFAULT_CANARY, canary)) {
      const { canary_target: target, ...others } = canary as { canary_target: string | null } & Omit<
        CanarySettings,
        'canary_target_env_id'
      >
      const canary_target_env_id = target === null ? null : (ids.get(target) ?? null)
      await set({ kind: 'canary', change: { ...others, canary_target_env_id } })
    }
    if (!sameValue(was?.recording ?? NO_RECORDING, recording)) await set({ kind: 'recording', change: recording })
  }

  async function setProject(): Promise<void> {
    const { current_environment, contract_mode = before.project.contract_mode } = project
    const settings: { current_environment?: string; contract_mode?: ContractMode } = {}
    if (before.project.current_environment !== current_environment && ids.has(current_environment))
      settings.current_environment = current_environment
    // Its words were checked when the archive was read.
    if (before.project.contract_mode !== contract_mode) settings.contract_mode = contract_mode as ContractMode
    if (Object.keys(settings).length === 0) return
    await changeProject(acting, settings, undefined)
    note()
  }
}

type Settled = ReturnType<typeof withDefaults>

/** All settings, with the defaults of a new environment for those that the archive omits. */
function withDefaults(one: ArchivedEnvironment, index: number) {
  const { name, order = index, requires_release = name !== 'dev', hold_before = false, recording = {} } = one
  const { allow_local_rulesets = false } = one
  const canary: { readonly [key: string]: Value } = { ...DEFAULT_CANARY, ...one.canary }
  const settings = { name, order, requires_release, hold_before, allow_local_rulesets }
  return { ...settings, canary, recording: { ...NO_RECORDING, ...recording } }
}
