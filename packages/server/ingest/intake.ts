import { Exports, type ExportsOptions } from './exports.ts'
import { OtherSignals } from './other-signals.ts'

/** What accepts exports, whatever the protocol. */
export interface Intake {
  exports: Exports
  signals: OtherSignals
}

export const openIntake = (options: ExportsOptions): Intake => ({
  exports: new Exports(options),
  signals: new OtherSignals(),
})
