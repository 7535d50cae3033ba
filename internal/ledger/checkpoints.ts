/** Which Pulses' certificates outlast the others. */

/** Of so many Pulses the first certificate is kept for ever; those of sessions' last Pulses are too. */
export const CHECKPOINT_PULSES = 64;
