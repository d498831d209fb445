// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Several calls in one, of which some may fail: the one function of Multicall3 that facilitators use.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returnData) = calls[i].target.call(calls[i].callData);
            require(success || !requireSuccess, "a call failed");
            results[i] = Result(success, returnData);
        }
    }
}
