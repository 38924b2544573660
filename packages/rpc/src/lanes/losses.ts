/**
 * How a lane was lost: the server was silent; it ended the lane without a word; the connection broke; or there never was a lane.
 */
export const LANE_LOSSES = ['silent', 'ended', 'broken', 'not_opened'] as const;
export type LaneLoss = (typeof LANE_LOSSES)[number];

/**
 * Why a call was refused before it left: too many are under way, too many bytes of their requests are, it is too large, or no
 * replica is there.
 */
export const CALL_REFUSALS = ['too_many', 'too_many_bytes', 'too_large', 'unreachable'] as const;
export type CallRefusal = (typeof CALL_REFUSALS)[number];

/** A lane to a replica that is lost. */
export type LostLane = {
  /** ip:port of the replica. */
  address: string;
  loss: LaneLoss;
  /** For logs. */
  reason: string;
  /** Calls that had left and have failed with it. */
  failed: number;
  /** False for one more attempt to reach a replica that was not there the last time either. */
  isNews: boolean;
};
