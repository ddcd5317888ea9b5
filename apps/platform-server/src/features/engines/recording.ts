import type { RecordingRules } from '@engine/api'
import type { OrgId } from '../../database/org-id.ts'

/** An engine that may record decisions. */
export interface RecordingEngine {
  readonly id: string
  readonly org_id: OrgId
  readonly tenants: boolean
}

/** Receives the decisions that engines record. `report` is the member `recording` of a heartbeat. */
export interface EngineRecording {
  /** Store reported decisions; duplicates of a retransmission are ignored. */
  take(engine: RecordingEngine, session: string, report: unknown): Promise<void>
  /** New recording rules for the engine; undefined if it has the current ones, or does not record. */
  changed(engine: RecordingEngine, report: unknown): Promise<RecordingRules | undefined>
}
