import type { Json } from '@spanhouse/model'
import { commitRefused } from '../problems.ts'

/** Why a delta is rejected; clients branch on these codes. */
export type DeltaReason =
  | 'target_not_found'
  | 'target_type_mismatch'
  | 'invalid_target_shape'
  | 'item_already_exists'
  | 'item_not_found'
  | 'item_rename_not_allowed'
  | 'duplicate_item_key'
  | 'item_key_undefined'
  | 'unkeyed_collection'
  | 'missing_operation_value'
  | 'invalid_operation_shape'
  | 'text_not_found'
  | 'text_not_unique'
  | 'text_edits_overlap'
  | 'empty_old_text'
  | 'no_change'
  | 'out_of_scope'
  | 'invalid_delta'
  | 'unknown_operation'
  | 'unresolved_file_marker'
  | 'invalid_embed'
  | 'unknown_marker'
  | 'value_too_deep'
  | 'text_too_large'

/** A delta that cannot be applied. Becomes a 422 when the operation at fault is known. */
export class DeltaRefusal extends Error {
  readonly reason: DeltaReason

  constructor(reason: DeltaReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Runs a part of a delta and throws its refusal as a 422 that names the operation. */
export function refusing<T>(work: () => T, operation?: { index: number; target: Json | undefined }): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DeltaRefusal)) throw error
    const details = operation && {
      operation_index: operation.index,
      ...(operation.target && { target: operation.target }),
    }
    throw commitRefused('unprocessable', error.reason, error.message, details && { details })
  }
}
