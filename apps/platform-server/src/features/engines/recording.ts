import type { RecordingRules } from '@engine/api'
import type { OrgId } from '../../database/org-id.ts'

/** An engine that may keep decisions. */
export interface RecordingEngine {
  readonly id: string
  readonly org_id: OrgId
  readonly tenants: boolean
}

/** What becomes of the decisions that engines keep. `report` is the member `recording` of a heartbeat. */
export interface EngineRecording {
  /** Store what an engine hands over; what it sends again is stored once. */
  take(engine: RecordingEngine, session: string, report: unknown): Promise<void>
  /** What the engine is to keep from now on; undefined: it knows, or keeps none. */
  changed(engine: RecordingEngine, report: unknown): Promise<RecordingRules | undefined>
}
