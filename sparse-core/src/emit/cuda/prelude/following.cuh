// From sm_90 on a launch that follows another of its call may start before that one has ended. Each thread waits here until
// all launches before have ended, and what they wrote is there to be read; that may be so already.
__device__ __forceinline__ void waitForLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// When all blocks have come here or have ended, blocks of the next launch may take the room that there is. This one needs none
// of it, its blocks all run by then; what other streams run may get it later. A launch that waits comes here after that, so
// that two launches of a call are under way at most.
__device__ __forceinline__ void allowNextLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
